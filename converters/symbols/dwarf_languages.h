// The families of DWARF's languages (DW_LANG_…), including codes that are newer than some <dwarf.h>.
#pragma once

#include <dwarf.h>

namespace convert {

constexpr bool is_c_language(int language) {
  constexpr int kC17 = 0x2c;
  return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
         language == DW_LANG_C11 || language == kC17;
}

constexpr bool is_cpp_language(int language) {
  constexpr int kCpp17 = 0x2a, kCpp20 = 0x2b;
  return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
         language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 || language == kCpp17 ||
         language == kCpp20;
}

constexpr bool is_fortran_language(int language) {
  constexpr int kFortran18 = 0x2d;
  return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 || language == DW_LANG_Fortran95 ||
         language == DW_LANG_Fortran03 || language == DW_LANG_Fortran08 || language == kFortran18;
}

constexpr bool is_ada_language(int language) {
  constexpr int kAda2005 = 0x2e, kAda2012 = 0x2f;
  return language == DW_LANG_Ada83 || language == DW_LANG_Ada95 || language == kAda2005 ||
         language == kAda2012;
}

}  // namespace convert
