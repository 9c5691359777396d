// Symbol names as people read them.
#pragma once

#include <string>

#include "converters/model/importer.h"

namespace convert::tfile {

// A C++ or Rust symbol demangled, with parameters only in full mode; itself when it is not mangled.
std::string demangled(const char* symbol, Demangle mode);

}  // namespace convert::tfile
