#include "converters/uftrace/demangle.h"

#include <cstdlib>
#include <libiberty/demangle.h>
#include <memory>

namespace convert::uftrace {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string demangle_full(const std::string& symbol) {
  const std::unique_ptr<char, Free> text(cplus_demangle_v3(symbol.c_str(), DMGL_PARAMS | DMGL_ANSI));
  return text ? std::string(text.get()) : symbol;
}

}  // namespace

std::string demangle(std::string_view symbol, Demangle mode) {
  if (mode == Demangle::No || !symbol.starts_with("_Z")) return std::string(symbol);
  return demangle_full(std::string(symbol));
}

}  // namespace convert::uftrace
