#include "converters/symbols/demangle.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#define HAVE_DECL_BASENAME 1  // else the header declares its own basename(), against <cstring>
#include <libiberty/demangle.h>
#include <memory>

#include "converters/model/reading/text.h"

namespace convert {
namespace {

// Compilers put this before a name for the function that initializes the global variables of a file.
constexpr std::string_view kInitializerPrefix = "_GLOBAL__sub_I_";

// A hundred hostile bytes can stand for gigabytes of text. A full name is not shown if it is longer than a
// string of the output can be. A short name may be short although its template arguments are long.
constexpr std::size_t kLongestFullName = 32'000;
constexpr std::size_t kLongestBeforeShortening = 100'000;

// libiberty hands out a name piece by piece. Text that is too long is left by longjmp; between setjmp and
// longjmp there are only C frames that hold nothing to release.
struct Text {
  std::jmp_buf too_long;
  std::size_t size = 0;
  std::size_t longest = 0;
  std::unique_ptr<char[]> bytes;
};

extern "C" void append_piece(const char* piece, std::size_t size, void* opaque) {
  auto& text = *static_cast<Text*>(opaque);
  if (size > text.longest - text.size) std::longjmp(text.too_long, 1);
  std::memcpy(text.bytes.get() + text.size, piece, size);
  text.size += size;
}

using Print = int (*)(const char* symbol, int options, demangle_callbackref, void* opaque);

// No object in here may need a destructor.
bool write_name(Print print, const char* symbol, int options, Text& text) {
  if (setjmp(text.too_long) != 0) return false;
  return print(symbol, options, append_piece, &text) != 0;
}

std::optional<std::string> print_name(Print print, const std::string& symbol, int options,
                                      std::size_t longest) {
  Text text;
  text.longest = longest;
  text.bytes = std::make_unique_for_overwrite<char[]>(longest);
  if (!write_name(print, symbol.c_str(), options, text)) return std::nullopt;
  return std::string(text.bytes.get(), text.size);
}

// False for symbols that cost libiberty much time or stack.
bool is_harmless_cpp_name(std::string_view symbol) {
  // libiberty needs up to 200 bytes of stack for each character.
  constexpr std::size_t kLongest = 8192;
  // After a conversion operator it reads "T_I", the arguments of a template parameter, twice, and so the
  // innermost of n nested ones 2^n times. Real names hold one or two.
  constexpr unsigned kMostTemplateParameters = 10;
  if (symbol.size() > kLongest) return false;
  if (symbol.find("cv") == std::string_view::npos) return true;
  unsigned count = 0;
  for (std::size_t at = symbol.find('T'); at != std::string_view::npos; at = symbol.find('T', at + 1)) {
    const std::size_t behind_number = symbol.find_first_not_of("0123456789", at + 1);
    if (behind_number != std::string_view::npos && symbol.substr(behind_number).starts_with("_I")) ++count;
  }
  return count <= kMostTemplateParameters;
}

std::string without_version(std::string_view symbol) {  // "@GLIBC_2.4"
  return std::string(symbol.substr(0, symbol.find('@')));
}

// ABI: "CI1" or "CI2", after the name of a class. No part of an identifier, which follows its length.
bool has_inherited_constructor(std::string_view symbol) {
  for (std::size_t at = symbol.find("CI"); at != std::string_view::npos; at = symbol.find("CI", at + 1)) {
    const std::string_view sign = symbol.substr(at, 3);
    if (sign != "CI1" && sign != "CI2") continue;
    bool is_in_identifier = false;
    for (std::string_view rest = symbol.substr(0, at); !rest.empty() && !is_in_identifier;) {
      rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
      if (rest.empty()) break;
      const auto size = consume_number(rest);
      is_in_identifier = !size || *size > rest.size();  // a number of too many digits is larger, too
    }
    if (!is_in_identifier) return true;
  }
  return false;
}

// libiberty gives an inherited constructor the name of the base: "Derived::Base" becomes "Derived::Derived".
std::string with_own_constructor(std::string_view name) {
  const std::string_view scope = name.substr(0, name.rfind("::"));
  const std::size_t colons = scope.rfind("::");
  return fmt::format("{}::{}", scope, colons == std::string_view::npos ? scope : scope.substr(colons + 2));
}

// Type information of types without a name, such as "char const*". uftrace leaves it mangled.
bool is_of_unnamed_type(std::string_view symbol) {
  constexpr std::size_t kPrefixSize = 4;
  return (symbol.starts_with("_ZTI") || symbol.starts_with("_ZTS")) && symbol.size() > kPrefixSize &&
         symbol.find_first_of("NSZ123456789", kPrefixSize) != kPrefixSize;
}

// GCC makes several functions of a coroutine. They differ by the end of the symbol only.
std::string_view coroutine_part(std::string_view symbol) {
  if (symbol.find('.') == std::string_view::npos) return {};  // nearly all: rfind() compares at each place
  for (const std::string_view part : {".actor", ".destroy", ".ramp"}) {
    const std::size_t at = symbol.rfind(part);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = symbol.substr(at + part.size());
    if (rest.empty() || rest.front() == '.') return part;
  }
  return {};
}

// The name that the symbol begins with, of a function outside of all classes and namespaces but std. For
// symbols that libiberty is too old for, such as those with constraints.
std::optional<std::string> plain_name(std::string_view symbol) {
  symbol.remove_prefix(2);  // "_Z"
  const bool is_std = symbol.starts_with("St");
  if (is_std) symbol.remove_prefix(2);
  const auto size = consume_number(symbol);
  if (!size || *size == 0 || *size > symbol.size()) return std::nullopt;
  return fmt::format("{}{}", is_std ? "std::" : "", symbol.substr(0, *size));
}

std::optional<std::string> short_name(std::string_view symbol) {
  if (symbol.starts_with("_R")) return short_rust_name(symbol);
  const std::string plain = without_version(symbol);
  if (!is_harmless_cpp_name(plain) || is_of_unnamed_type(plain)) return std::nullopt;
  // Verbose: "std::basic_ostream", not "std::ostream". The limit would refuse symbols of 1024 characters.
  const auto print = [](const std::string& mangled) {
    return print_name(cplus_demangle_v3_callback, mangled, DMGL_ANSI | DMGL_VERBOSE | DMGL_NO_RECURSE_LIMIT,
                      kLongestBeforeShortening);
  };
  auto name = print(plain);
  // A function whose object is a parameter (C++23) has a sign of its own, which older versions do not know.
  constexpr std::string_view kExplicitObject = "_ZNH";
  if (!name && plain.starts_with(kExplicitObject)) name = print("_ZN" + plain.substr(kExplicitObject.size()));
  auto shortened = name ? short_cpp_name(*name) : plain_name(plain);
  if (shortened && has_inherited_constructor(plain)) shortened = with_own_constructor(*shortened);
  if (shortened) *shortened += coroutine_part(plain);
  return shortened;
}

}  // namespace

std::optional<std::string> full_name(std::string_view symbol, Parameters parameters) {
  const std::string plain = without_version(symbol);
  const auto print_rust = [&] {
    return print_name(rust_demangle_callback, plain, DMGL_NO_OPTS, kLongestFullName);
  };
  // Decoding Punycode allocates memory, which longjmp would leak: names that grow too long are refused
  // before.
  if (symbol.starts_with("_R")) return is_harmless_rust_name(plain) ? print_rust() : std::nullopt;
  if (auto name = print_rust()) return name;
  if (!is_harmless_cpp_name(plain)) return std::nullopt;
  const int options = parameters == Parameters::Shown ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
  return print_name(cplus_demangle_v3_callback, plain, options, kLongestFullName);
}

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
