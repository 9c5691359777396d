// Short names of C++ and Rust, as in uftrace, from the output of libiberty.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
// Without this macro, the header declares its own basename(), which conflicts with <string.h>.
#define HAVE_DECL_BASENAME 1
#include <demangle.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/reading/text.h"
#include "converters/symbols/demangle.h"

namespace convert {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// ---- C++, and the older Rust mangling, which is built on that of C++ ----

// The escapes of the older Rust mangling, without '$'. For example, "$SP$" stands for '@'.
constexpr std::array kRustEscapes{
    std::pair{std::string_view("SP"), '@'}, std::pair{std::string_view("BP"), '*'},
    std::pair{std::string_view("RF"), '&'}, std::pair{std::string_view("LT"), '<'},
    std::pair{std::string_view("GT"), '>'}, std::pair{std::string_view("LP"), '('},
    std::pair{std::string_view("RP"), ')'}, std::pair{std::string_view("C"), ','}};

std::optional<char> rust_character(std::string_view escape) {
  const auto* const found = std::ranges::find(kRustEscapes, escape, [](const auto& e) { return e.first; });
  if (found != kRustEscapes.end()) return found->second;
  if (!escape.starts_with('u')) return std::nullopt;
  const auto value = whole_number<unsigned>(escape.substr(1), 16);
  constexpr unsigned kFirstPrintable = 0x20, kLastPrintable = 0x7e;
  if (!value || *value < kFirstPrintable || *value > kLastPrintable) return std::nullopt;
  return static_cast<char>(*value);
}

// True for the last part of a path in the older Rust mangling: 'h' and 16 hexadecimal digits.
bool is_rust_hash(std::string_view name) {
  constexpr std::size_t kHashSize = 17;
  return name.size() == kHashSize && name.starts_with('h') &&
         std::ranges::all_of(name.substr(1), is_hex_digit);
}

// "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$" becomes "_<alloc::vec::Vec<T>>": as in
// uftrace, without the trait. The text after an unknown escape is unchanged.
std::string without_rust_escapes(std::string_view name) {
  std::string text;
  for (std::size_t dollar; (dollar = name.find('$')) != std::string_view::npos;) {
    const std::string_view escape = name.substr(dollar);
    const bool is_before_trait = escape.starts_with("$u20$as$u20$");
    const std::size_t end = escape.find('$', 1);
    if (end == std::string_view::npos) break;
    const auto character = rust_character(escape.substr(1, end - 1));
    if (!character) break;
    std::string_view part = name.substr(0, dollar);
    for (std::size_t dots; (dots = part.find("..")) != std::string_view::npos; part.remove_prefix(dots + 2)) {
      text += part.substr(0, dots);
      text += "::";
    }
    text += part;
    if (is_before_trait) return text + '>';
    text += *character;
    name = escape.substr(end + 1);
  }
  text += name;
  return text;
}

// uftrace's prefixes of special symbols, such as virtual tables.
constexpr std::array kSpecialNames{
    std::pair{DEMANGLE_COMPONENT_VTABLE, std::string_view("__vtable__")},
    std::pair{DEMANGLE_COMPONENT_VTT, std::string_view("__VTT__")},
    std::pair{DEMANGLE_COMPONENT_CONSTRUCTION_VTABLE, std::string_view("__construction_vtable__")},
    std::pair{DEMANGLE_COMPONENT_TYPEINFO, std::string_view("__typeinfo_name__")},
    std::pair{DEMANGLE_COMPONENT_TYPEINFO_NAME, std::string_view("__typeinfo__")},
    std::pair{DEMANGLE_COMPONENT_GUARD, std::string_view("__guard_variable__")},
    std::pair{DEMANGLE_COMPONENT_REFTEMP, std::string_view("__ref_temp__")},
    std::pair{DEMANGLE_COMPONENT_TLS_INIT, std::string_view("TLS_init::")},
    std::pair{DEMANGLE_COMPONENT_TLS_WRAPPER, std::string_view("TLS_wrap::")},
};

// Collects the names in libiberty's tree of a symbol. Skips the branches with template arguments, parameters,
// results, qualifiers and ABI tags.
class CppName {
 public:
  std::optional<std::string> read(demangle_component* tree) {
    return append(tree) && !text_.empty() ? std::optional(std::move(text_)) : std::nullopt;
  }

 private:
  // Hostile symbols are nested without limit, or refer to one part very often.
  static constexpr unsigned kDeepest = 1000, kMostParts = 10'000;
  static constexpr std::size_t kLongest = 32'000;

  // Returns false if the part is not a name, or if the tree is too large.
  bool append(demangle_component* part) {
    if (part == nullptr || depth_ == kDeepest || ++parts_ > kMostParts || text_.size() > kLongest)
      return false;
    ++depth_;
    const bool is_name = append_part(*part);
    --depth_;
    return is_name;
  }

  bool append_part(demangle_component& part) {
    const auto& [left, right] = part.u.s_binary;
    switch (part.type) {
      case DEMANGLE_COMPONENT_NAME:
        return add_identifier({part.u.s_name.s, static_cast<std::size_t>(part.u.s_name.len)});
      case DEMANGLE_COMPONENT_SUB_STD:
        return add_abbreviated({part.u.s_string.string, static_cast<std::size_t>(part.u.s_string.len)});
      case DEMANGLE_COMPONENT_QUAL_NAME:
      case DEMANGLE_COMPONENT_LOCAL_NAME:
        return append(left) && append(right);
      case DEMANGLE_COMPONENT_CTOR:
        return add_constructor("");
      case DEMANGLE_COMPONENT_DTOR:
        return add_constructor("~");
      case DEMANGLE_COMPONENT_OPERATOR:
        return add_operator(part);
      case DEMANGLE_COMPONENT_UNARY:
        return add("operator\"\"");
      case DEMANGLE_COMPONENT_CONVERSION:
        return add("operator(cast)");
      case DEMANGLE_COMPONENT_LAMBDA:
        return add(fmt::format("$_{}", part.u.s_unary_num.num));
      case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        return true;
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
        return append(part.u.s_unary_num.sub);
      // A thunk is shown as the function that it calls, and a copy as its original.
      case DEMANGLE_COMPONENT_THUNK:
      case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
      case DEMANGLE_COMPONENT_COVARIANT_THUNK:
      case DEMANGLE_COMPONENT_HIDDEN_ALIAS:
      case DEMANGLE_COMPONENT_TRANSACTION_CLONE:
      case DEMANGLE_COMPONENT_NONTRANSACTION_CLONE:
      case DEMANGLE_COMPONENT_TYPED_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE:
      case DEMANGLE_COMPONENT_TAGGED_NAME:
      case DEMANGLE_COMPONENT_MODULE_ENTITY:
      case DEMANGLE_COMPONENT_RESTRICT_THIS:
      case DEMANGLE_COMPONENT_VOLATILE_THIS:
      case DEMANGLE_COMPONENT_CONST_THIS:
      case DEMANGLE_COMPONENT_REFERENCE_THIS:
      case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
        return append(left);
      default:
        break;
    }
    const auto* const special =
        std::ranges::find_if(kSpecialNames, [&](const auto& known) { return known.first == part.type; });
    if (special == kSpecialNames.end()) return false;
    text_ += special->second;
    first_name_ = text_.size();
    return append(part.type == DEMANGLE_COMPONENT_CONSTRUCTION_VTABLE ? right : left);
  }

  bool add(std::string_view name) {
    if (text_.size() > first_name_) text_ += "::";
    text_ += name;
    return true;
  }

  bool add_identifier(std::string_view name) {
    if (name == "string literal" || is_rust_hash(name)) return true;
    if (name == "(anonymous namespace)") return add("_GLOBAL__N_1");
    return name.find('$') == std::string_view::npos ? add(name) : add(without_rust_escapes(name));
  }

  // `name` is a class of std for which the ABI has an abbreviation. Adds the name without template arguments:
  // "std::basic_ostream". As in uftrace, std::string keeps empty brackets: "std::basic_string<>".
  bool add_abbreviated(std::string_view name) {
    const bool is_string = name.find("std::allocator<") != std::string_view::npos;
    return add(fmt::format("{}{}", name.substr(0, name.find('<')), is_string ? "<>" : ""));
  }

  // A constructor has the name of its class. libiberty gives an inherited constructor the name of the base
  // class.
  bool add_constructor(std::string_view sign) {
    const std::size_t colons = text_.rfind("::"), start = colons == std::string::npos ? 0 : colons + 2;
    return add(fmt::format("{}{}", sign, text_.substr(std::max(start, first_name_))));
  }

  bool add_operator(demangle_component& part) {
    std::size_t allocated = 0;
    const std::unique_ptr<char, Free> name(cplus_demangle_print(DMGL_NO_OPTS, &part, 0, &allocated));
    return name && add(name.get());
  }

  std::string text_;
  std::size_t first_name_ = 0;
  unsigned depth_ = 0, parts_ = 0;
};

// ---- The newer Rust mangling ----

// Rewrites a name that libiberty prints, from left to right. Writes "::" where uftrace does: between two
// names, but not before the first name of an implementation or a generic argument. In "<str>len", `len` is
// the first name, because `str` is a primitive type.
class RustName {
 public:
  explicit RustName(std::string_view full) : rest_(full) {}

  std::string read() {
    while (!rest_.empty()) read_token();
    return std::move(text_);
  }

 private:
  struct Bracket {
    // Hidden: brackets around generic arguments. These brackets are not shown.
    enum class Kind : char { Plain, Implementation, Generics, Hidden } kind;
    std::size_t start = 0;  // in the text
    bool was_first = true;  // true if there is no "::" before the bracket
  };
  using Kind = Bracket::Kind;

  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string_view take(std::size_t size) {
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(part.size());
    return part;
  }

  std::string_view take_through(std::string_view end) {
    return take(std::min(rest_.find(end), rest_.size()) + end.size());
  }
  void skip_through(std::string_view end) { take_through(end); }

  // Bytes of other alphabets count as letters.
  std::size_t word_size() const {
    const auto is_letter = [](char c) {
      return is_word_character(c) || static_cast<unsigned char>(c) >= 0x80;
    };
    return static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_letter) - rest_.begin());
  }

  void add(std::string_view text) {
    if (!is_muted()) text_ += text;
  }

  // After mute(), nothing is shown until the innermost bracket or its current item ends.
  bool is_muted() const { return muted_in_ <= open_.size(); }
  void mute() { muted_in_ = std::min(muted_in_, open_.size()); }
  void end_item() {
    if (muted_in_ == open_.size()) muted_in_ = kNowhere;
  }

  void read_token() {
    if (accept("::<")) return open_generics();
    if (accept("::{")) return read_braces();
    if (accept("::")) return read_name(take(word_size()));
    if (accept("<")) return open_implementation();
    if (accept(" as ")) {  // followed by a trait
      if (!open_.empty()) open_.back().was_first = true;
      return mute();
    }
    if (accept(" -> ")) return mute();
    if (accept(", ")) return next_item();
    if (accept("; ")) {
      end_item();
      return add(";");
    }
    if (accept(" + ")) return end_item();
    if (accept("mut ")) return add("mut_");
    if (accept("const ")) return add("const_");
    if (accept("dyn ") || accept("unsafe ")) return;
    if (accept_lifetime()) return;
    if (accept("'")) return read_character();
    if (accept("for<")) return skip_through("> ");
    if (accept("extern \"")) return skip_through("\" ");
    if (const std::size_t size = word_size(); size > 0) return read_word(take(size));
    read_sign(take(1));
  }

  // Opens the bracket of "<type>" or "<type as trait>".
  void open_implementation() {
    open_.push_back({Kind::Implementation, text_.size(), std::exchange(is_first_, true)});
    add("<");
  }

  // Reads a part of a path.
  void read_name(std::string_view name) {
    if (!is_muted() && !name.empty()) {
      if (!is_first_) text_ += "::";
      text_ += name;
      is_first_ = false;
    }
    if (accept("::<") || accept("<")) open_generics();
  }

  // Reads "closure#0}", "closure:name#0}", "shim:vtable#0}".
  void read_braces() {
    std::string_view text = take_through("}");
    text = text.substr(0, text.find_first_of("#}"));
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) read_name(text.substr(colon + 1));
    if (text.substr(0, colon) == "closure") read_name("{closure}");
  }

  void read_word(std::string_view word) {
    const bool is_name = rest_.starts_with("::") || rest_.starts_with('<') || accept(" = ");
    // The names f16 and f128 are mangled like names of crates.
    if (is_name || word == "f16" || word == "f128") return read_name(word);
    add(word == "true" ? "1" : word == "false" ? "0" : word);
  }

  bool accept_lifetime() {
    const bool is_character = rest_.substr(0, 3).ends_with('\'') || rest_.starts_with("'\\");
    if (is_character || !accept("'")) return false;
    take(word_size());
    accept(" ");
    return true;
  }

  // uftrace shows the code of a character.
  void read_character() {
    unsigned code = 0;
    if (accept("\\u{")) {
      code = whole_number<unsigned>(take(word_size()), 16).value_or(0);
    } else {
      constexpr std::string_view kEscaped = "tnr", kMeant = "\t\n\r";
      const std::size_t escape = accept("\\") ? kEscaped.find(rest_.substr(0, 1)) : kEscaped.npos;
      for (const char c : take(1)) code = static_cast<unsigned>(escape < kMeant.size() ? kMeant[escape] : c);
    }
    add(std::to_string(code));
    skip_through("'");
  }

  void read_sign(std::string_view sign) {
    if (sign == "(" || sign == "[") {
      open_.push_back({Kind::Plain});
    } else if (sign == ")" || sign == "]" || sign == ">") {
      return close(sign);
    } else if (sign == ",") {  // in a tuple of one
      return;
    }
    add(sign);
  }

  void open_generics() {
    open_.push_back({Kind::Hidden});
    next_argument();
  }

  // An associated type of a trait object, as in "Iterator<Item = u8>", is shown as a name in the trait.
  // Lifetimes are not shown.
  void next_argument() {
    while (accept_lifetime())
      if (!accept(", ")) return;
    Kind& kind = open_.back().kind;
    const Kind before = kind;
    const bool is_binding = rest_.substr(word_size()).starts_with(" = ");
    kind = is_binding ? Kind::Hidden : Kind::Generics;
    if (before == Kind::Generics) add(is_binding ? ">" : ",");
    if (before == Kind::Hidden && !is_binding) add("<");
    is_first_ = !is_binding;
  }

  void next_item() {
    end_item();
    const bool is_argument =
        !open_.empty() && (open_.back().kind == Kind::Generics || open_.back().kind == Kind::Hidden);
    if (is_argument) return next_argument();
    add(",");
  }

  void close(std::string_view sign) {
    end_item();
    if (open_.empty()) return add(sign);
    const Bracket bracket = open_.back();
    open_.pop_back();
    if (bracket.kind == Kind::Hidden) return;
    if (bracket.kind == Kind::Generics) is_first_ = false;
    if (!bracket.was_first && !is_muted()) text_.insert(bracket.start, "::");
    add(sign);
  }

  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  std::string_view rest_;
  std::string text_;
  std::vector<Bracket> open_;
  std::size_t muted_in_ = kNowhere;  // number of open brackets at mute()
  bool is_first_ = true;             // true if there is no "::" before the next name
};

}  // namespace

std::optional<std::string> short_cpp_name(const std::string& symbol) {
  // DMGL_VERBOSE gives "std::basic_ostream" instead of "std::ostream". Without DMGL_NO_RECURSE_LIMIT,
  // libiberty would reject symbols in which thousands of function types are nested.
  void* memory = nullptr;
  demangle_component* const tree =
      cplus_demangle_v3_components(symbol.c_str(), DMGL_ANSI | DMGL_VERBOSE | DMGL_NO_RECURSE_LIMIT, &memory);
  const std::unique_ptr<void, Free> owner(memory);
  return tree != nullptr ? CppName().read(tree) : std::nullopt;
}

std::string short_rust_name(std::string_view full) { return RustName(full).read(); }

}  // namespace convert
