#include "converters/model/names/demangle.h"

#include <optional>

#include "converters/model/names/cpp_name.h"
#include "converters/model/names/full_name.h"
#include "converters/model/names/rust_v0_name.h"

namespace convert {
namespace {

// Compilers put this before a name for the function that initializes the global variables of a file.
constexpr std::string_view kInitializerPrefix = "_GLOBAL__sub_I_";

std::optional<std::string> short_name(std::string_view symbol) {
  return symbol.starts_with("_R") ? short_rust_name(symbol) : short_cpp_name(symbol);
}

}  // namespace

std::string demangle(std::string_view symbol, Demangle mode) {
  const std::string_view prefix = symbol.starts_with(kInitializerPrefix) ? kInitializerPrefix : "";
  const std::string_view mangled = symbol.substr(prefix.size());
  if (mode == Demangle::No || !(mangled.starts_with("_Z") || mangled.starts_with("_R")))
    return std::string(symbol);

  auto name = mode == Demangle::Full ? full_name(mangled) : std::nullopt;
  if (!name) name = short_name(mangled);
  return name ? std::string(prefix) + *name : std::string(symbol);
}

}  // namespace convert
