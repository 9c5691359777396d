# read_version(<variable>) sets <variable> to the version in the first heading of CHANGELOG.md, and <variable>_DATE to its
# date. The library and the programs both include this file.
function(read_version variable)
  set(changes ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../CHANGELOG.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${changes})
  file(STRINGS ${changes} heading REGEX "^## " LIMIT_COUNT 1)
  if(NOT heading MATCHES "^## ([0-9]+\\.[0-9]+\\.[0-9]+) \\(([0-9]+-[0-9]+-[0-9]+)\\)$")
    message(FATAL_ERROR "CHANGELOG.md: '${heading}' is not of the form '## 1.2.3 (2026-01-31)'")
  endif()
  set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  set(${variable}_DATE ${CMAKE_MATCH_2} PARENT_SCOPE)
endfunction()
