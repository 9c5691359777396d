#include "converters/symbols/demangle.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
// Without this macro, the header declares its own basename(), which conflicts with <string.h>.
#define HAVE_DECL_BASENAME 1
#include <demangle.h>

#include "converters/model/reading/text.h"

namespace convert {
namespace {

// Prefixes that compilers put before a symbol: for a function that initializes the variables of a file, and
// for a function that calls a function on a GPU.
constexpr std::array<std::string_view, 2> kPrefixes{"_GLOBAL__sub_I_", "__device_stub_"};

// A hundred hostile bytes can represent gigabytes of text. Longer names than this are not shown. They would
// also be too long for a string in the output.
constexpr std::size_t kLongestName = 32'000;
// libiberty needs up to 200 bytes of stack per character.
constexpr std::size_t kLongestSymbol = 8192;

// libiberty returns a name in parts. If the text becomes too long, longjmp ends the call. Between setjmp and
// longjmp there are only C frames, which have nothing to release.
struct Text {
  std::jmp_buf too_long;
  std::size_t size = 0;
  bool is_rust = false;
  bool is_too_long = false;
  std::array<char, kLongestName> bytes;
};

extern "C" void append_piece(const char* piece, std::size_t size, void* opaque) {
  auto& text = *static_cast<Text*>(opaque);
  text.is_too_long |= size > kLongestName - text.size;
  if (!text.is_too_long) {
    std::copy_n(piece, size, text.bytes.data() + text.size);
    text.size += size;
  } else if (!text.is_rust || std::all_of(piece, piece + size, [](unsigned char c) { return c < 0x80; })) {
    // longjmp must not skip libiberty's release of a non-ASCII part of a Rust name (decoded Punycode).
    std::longjmp(text.too_long, 1);
  }
}

using Print = int (*)(const char* symbol, int options, demangle_callbackref, void* opaque);

// longjmp skips destructors, so no object in this function may need one.
bool write_name(Print print, const char* symbol, int options, Text& text) {
  if (setjmp(text.too_long) != 0) return false;
  return print(symbol, options, append_piece, &text) != 0 && !text.is_too_long;
}

std::optional<std::string> print_name(Print print, const std::string& symbol, int options) {
  Text text;
  text.is_rust = print == rust_demangle_callback;
  if (!write_name(print, symbol.c_str(), options, text)) return std::nullopt;
  return std::string(text.bytes.data(), text.size);
}

// False if libiberty might need a very long time for the symbol. After a conversion operator, libiberty reads
// "T_I", the arguments of a template parameter, twice. If n of these are nested, libiberty reads the
// innermost one 2^n times. Real names contain one or two.
bool is_harmless(std::string_view symbol) {
  constexpr unsigned kMostTemplateParameters = 10;
  if (symbol.size() > kLongestSymbol) return false;
  if (symbol.find("cv") == std::string_view::npos) return true;
  unsigned count = 0;
  for (std::size_t at = symbol.find('T'); at != std::string_view::npos; at = symbol.find('T', at + 1)) {
    const std::size_t behind_number = symbol.find_first_not_of("0123456789", at + 1);
    if (behind_number != std::string_view::npos && symbol.substr(behind_number).starts_with("_I")) ++count;
  }
  return count <= kMostTemplateParameters;
}

// Removes versions and similar suffixes: "foo@GLIBC_2.4", "_RNvC1a3KEY$tlv$init". A '$' can also be part of
// older Rust names.
std::string without_version(std::string_view symbol) {
  return std::string(symbol.substr(0, symbol.find_first_of(symbol.starts_with("_R") ? "@$" : "@")));
}

// The symbol of a function with an explicit object parameter (C++23) has an 'H' that older versions of
// libiberty do not support: "_ZNH1S1fEv". The symbol of a local entity has an additional 'Z' at the start for
// each function around it.
std::string without_explicit_object(std::string symbol) {
  const std::size_t at = std::min(symbol.find_first_not_of('Z', 1), symbol.size());
  if (symbol.compare(at, 2, "NH") == 0) symbol.erase(at + 1, 1);
  return symbol;
}

// libiberty 2.40 reads a name in an expression as "sr1AE1x", or in the older form "sr1A1x". It chooses by a
// variable that cplus_demangle_v3_components() does not set. But a letter after "sr" selects the form: 'N'
// for the newer form, 'K' for the older form.
std::string with_letter(char letter, std::string symbol) {
  for (std::size_t at = 0; (at = symbol.find("sr", at)) != std::string::npos; at += 2)
    if (at + 2 < symbol.size() && is_digit(symbol[at + 2])) symbol.insert(at + 2, 1, letter);
  return symbol;
}

// GCC compiles a coroutine to several functions, whose symbols differ only at the end.
std::string_view coroutine_part(std::string_view symbol) {
  // Nearly all symbols have no '.', and find() is faster than rfind().
  if (symbol.find('.') == std::string_view::npos) return {};
  for (const std::string_view part : {".actor", ".destroy", ".ramp"}) {
    const std::size_t at = symbol.rfind(part);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = symbol.substr(at + part.size());
    if (rest.empty() || rest.front() == '.') return part;
  }
  return {};
}

// Reads the name from the start of a symbol. Fails for functions in a class, or in a namespace other than
// std. Needed for symbols that are too new for libiberty, such as those with constraints.
std::optional<std::string> plain_name(std::string_view symbol) {
  symbol.remove_prefix(2);
  const bool is_std = symbol.starts_with("St");
  if (is_std) symbol.remove_prefix(2);
  const auto size = consume_number(symbol);
  if (!size || *size == 0 || *size > symbol.size()) return std::nullopt;
  return fmt::format("{}{}", is_std ? "std::" : "", symbol.substr(0, *size));
}

std::optional<std::string> short_name(std::string_view symbol) {
  if (symbol.starts_with("_R")) {
    const auto full = full_name(symbol);
    return full ? std::optional(short_rust_name(*full)) : std::nullopt;
  }
  const std::string plain = without_version(symbol);
  if (!is_harmless(plain)) return std::nullopt;
  const std::string readable = without_explicit_object(plain);
  auto name = short_cpp_name(readable);
  for (const char letter : {'N', 'K'})
    if (!name) name = short_cpp_name(with_letter(letter, readable));
  if (!name) name = plain_name(plain);
  if (name) *name += coroutine_part(plain);
  return name;
}

// A 'Q' repeats an earlier part of the symbol. If the repeated part itself contains two 'Q', the length of
// the name can double with each repetition. libiberty does not limit the length.
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

std::optional<std::string> full_name(std::string_view symbol, Parameters parameters) {
  const std::string plain = without_version(symbol);
  if (!is_harmless(plain)) return std::nullopt;
  if (auto name = print_name(rust_demangle_callback, plain, DMGL_NO_OPTS)) return name;
  const int options = parameters == Parameters::Shown ? DMGL_PARAMS | DMGL_ANSI : DMGL_ANSI;
  return print_name(cplus_demangle_v3_callback, plain, options);
}

std::string demangle(std::string_view symbol, Demangle mode) {
  const auto* const known = std::ranges::find_if(
      kPrefixes, [symbol](std::string_view prefix) { return symbol.starts_with(prefix); });
  const std::string_view prefix = known != kPrefixes.end() ? *known : "";
  const std::string_view mangled = symbol.substr(prefix.size());
  if (mode == Demangle::No || !(mangled.starts_with("_Z") || mangled.starts_with("_R")))
    return std::string(symbol);

  auto name = mode == Demangle::Full ? full_name(mangled) : std::nullopt;
  if (!name) name = short_name(mangled);
  return name ? std::string(prefix) + *name : std::string(symbol);
}

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
