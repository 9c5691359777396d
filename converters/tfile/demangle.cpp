#include "converters/tfile/demangle.h"

// Keeps libiberty.h from declaring basename() its own way.
#define HAVE_DECL_BASENAME 1
#include <cstdlib>
#include <libiberty/demangle.h>
#include <memory>

namespace convert::tfile {

std::string demangled(const char* symbol, Demangle mode) {
  if (mode == Demangle::No) return symbol;
  using Text = std::unique_ptr<char, decltype(&std::free)>;
  const int options = mode == Demangle::Full ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
  if (const Text name(cplus_demangle_v3(symbol, options), &std::free); name) return name.get();
  if (const Text name(rust_demangle(symbol, DMGL_NO_OPTS), &std::free); name) return name.get();
  return symbol;
}

}  // namespace convert::tfile
