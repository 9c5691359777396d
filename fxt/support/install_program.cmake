# install_program(<program> [COMPONENT <component>]): installs a program, and the files that are made from its options
# (see program_text.h): its manual page, and completions for bash, zsh and fish.
#
# install_completions(<directory> <name> [COMPONENT <component>]): installs <name>.bash, _<name> and
# <name>.fish.
#
# install_manual(<file>.1): installs a hand-written manual page.
#
# If another project includes this project, nothing is installed unless FXT_INSTALL is set.
function(install_program program)
  if(NOT FXT_INSTALL)
    return()
  endif()
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} ${ARGN})
  if(BUILD_SHARED_LIBS)  # the program then needs a shared library of this project
    file(RELATIVE_PATH libdir /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH $ORIGIN/${libdir})
  endif()
  if(CMAKE_CROSSCOMPILING)
    return()  # a cross-compiled program can't be run
  endif()
  set(texts ${CMAKE_CURRENT_BINARY_DIR}/texts)
  file(MAKE_DIRECTORY ${texts})
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${program} --manual > ${texts}/${program}.1
    COMMAND gzip -9nf ${texts}/${program}.1
    COMMAND ${program} --completion bash > ${texts}/${program}.bash
    COMMAND ${program} --completion zsh > ${texts}/_${program}
    COMMAND ${program} --completion fish > ${texts}/${program}.fish
    VERBATIM)
  install(FILES ${texts}/${program}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${ARGN})
  install_completions(${texts} ${program} ${ARGN})
endfunction()

function(install_completions directory name)
  set(share ${CMAKE_INSTALL_DATADIR})
  install(FILES ${directory}/${name}.bash DESTINATION ${share}/bash-completion/completions RENAME ${name} ${ARGN})
  install(FILES ${directory}/_${name} DESTINATION ${share}/zsh/vendor-completions ${ARGN})
  install(FILES ${directory}/${name}.fish DESTINATION ${share}/fish/vendor_completions.d ${ARGN})
endfunction()

function(install_manual file)
  get_filename_component(name ${file} NAME)
  configure_file(${file} ${CMAKE_CURRENT_BINARY_DIR}/${name} COPYONLY)
  execute_process(COMMAND gzip -9nfk ${CMAKE_CURRENT_BINARY_DIR}/${name} COMMAND_ERROR_IS_FATAL ANY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()
