#include "converters/symbols/d_names.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
// Without this, the header declares its own basename(), which conflicts with <string.h>.
#define HAVE_DECL_BASENAME 1
#include <demangle.h>

#include "converters/model/reading/text.h"

namespace convert {
namespace {

// A 'Q' refers back to an earlier part of the symbol. That part may contain two of these letters, so each
// pair of them can double the length of the name. libiberty does not limit the length.
constexpr std::ptrdiff_t kMostBackReferences = 20;
constexpr std::size_t kLongestDSymbol = 2048;

// Returns "app.Box!(int).put" for "app.Box!(int).put(int)".
std::string without_parameters(std::string_view name) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '(' && depth == 0 && (i == 0 || name[i - 1] != '!')) return std::string(name.substr(0, i));
    if (name[i] == '(') ++depth;
    if (name[i] == ')' && depth > 0) --depth;
  }
  return std::string(name);
}

}  // namespace

std::optional<std::string> full_d_name(std::string_view symbol, Parameters parameters) {
  const bool is_mangled =
      symbol == "_Dmain" || (symbol.starts_with("_D") && symbol.size() > 2 && is_digit(symbol[2]));
  if (!is_mangled || symbol.size() > kLongestDSymbol || std::ranges::count(symbol, 'Q') > kMostBackReferences)
    return std::nullopt;
  const std::unique_ptr<char, decltype(&std::free)> name(
      dlang_demangle(std::string(symbol).c_str(), DMGL_NO_OPTS), &std::free);
  if (name == nullptr) return std::nullopt;
  return parameters == Parameters::Shown ? std::string(name.get()) : without_parameters(name.get());
}

}  // namespace convert
