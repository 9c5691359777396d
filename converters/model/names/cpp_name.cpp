#include "converters/model/names/cpp_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#define HAVE_DECL_BASENAME 1  // else the header declares its own basename(), against <cstring>
#include <cstdlib>
#include <libiberty/demangle.h>
#include <memory>
#include <utility>

#include "converters/model/names/full_name.h"
#include "converters/model/names/rust_name.h"

namespace convert {
namespace {

using Component = demangle_component;

struct NotUnderstood {};

// Says the names in libiberty's tree of a symbol, from the outermost scope inwards, and nothing else.
class NameWalk {
 public:
  // Throws NotUnderstood.
  std::string names_of(Component& tree) {
    walk(tree);
    if (said_.empty()) throw NotUnderstood();
    return std::move(said_);
  }

 private:
  // Substitutions share parts of the tree, so that there can be far more ways through it than parts. These
  // also limit how deep the walk gets and how long the name.
  static constexpr unsigned kMostSteps = 10'000;
  static constexpr std::size_t kLongestName = 30'000;

  void say(std::string_view name) {
    if (!first_) said_ += "::";
    said_ += name;
    first_ = false;
    if (said_.size() > kLongestName) throw NotUnderstood();
  }

  void walk(Component* part) {
    if (part == nullptr) throw NotUnderstood();
    walk(*part);
  }

  void walk(Component& part) {
    if (++steps_ > kMostSteps) throw NotUnderstood();
    const auto& [left, right] = part.u.s_binary;
    switch (part.type) {
      case DEMANGLE_COMPONENT_NAME:
        return say_source_name({part.u.s_name.s, static_cast<std::size_t>(part.u.s_name.len)});
      case DEMANGLE_COMPONENT_QUAL_NAME:
      case DEMANGLE_COMPONENT_LOCAL_NAME:
        walk(left);
        return walk(right);
      case DEMANGLE_COMPONENT_TYPED_NAME:
      case DEMANGLE_COMPONENT_TEMPLATE:
      case DEMANGLE_COMPONENT_TAGGED_NAME:
      case DEMANGLE_COMPONENT_MODULE_ENTITY:
      case DEMANGLE_COMPONENT_RESTRICT_THIS:
      case DEMANGLE_COMPONENT_VOLATILE_THIS:
      case DEMANGLE_COMPONENT_CONST_THIS:
      case DEMANGLE_COMPONENT_REFERENCE_THIS:
      case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
      case DEMANGLE_COMPONENT_THUNK:
      case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
      case DEMANGLE_COMPONENT_COVARIANT_THUNK:
      case DEMANGLE_COMPONENT_HIDDEN_ALIAS:
      case DEMANGLE_COMPONENT_TRANSACTION_CLONE:
      case DEMANGLE_COMPONENT_NONTRANSACTION_CLONE:
        return walk(left);
      case DEMANGLE_COMPONENT_DEFAULT_ARG:
        return walk(part.u.s_unary_num.sub);
      case DEMANGLE_COMPONENT_UNNAMED_TYPE:
      case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
      case DEMANGLE_COMPONENT_DECLTYPE:
      case DEMANGLE_COMPONENT_STRUCTURED_BINDING:
        return;
      case DEMANGLE_COMPONENT_LAMBDA:
        return say("$_" + std::to_string(part.u.s_unary_num.num));
      case DEMANGLE_COMPONENT_SUB_STD:
        return say_abbreviation({part.u.s_string.string, static_cast<std::size_t>(part.u.s_string.len)});
      case DEMANGLE_COMPONENT_CTOR:
        return say(class_name());
      case DEMANGLE_COMPONENT_DTOR:
        return say("~" + class_name());
      case DEMANGLE_COMPONENT_OPERATOR:
        return say_operator(part);
      case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
        return walk(part.u.s_extended_operator.name);
      case DEMANGLE_COMPONENT_CONVERSION:
        return say("operator(cast)");
      case DEMANGLE_COMPONENT_UNARY:  // as a name, a literal's suffix
        return say("operator\"\"");
      default:
        return walk_special(part);
    }
  }

  // ABI: "<special-name>" of variables; uftrace's words for them.
  void walk_special(Component& part) {
    const auto& [left, right] = part.u.s_binary;
    switch (part.type) {
      case DEMANGLE_COMPONENT_VTABLE:
        return walk_variable("__vtable__", left);
      case DEMANGLE_COMPONENT_VTT:
        return walk_variable("__VTT__", left);
      case DEMANGLE_COMPONENT_CONSTRUCTION_VTABLE:
        return walk_variable("__construction_vtable__", right);
      case DEMANGLE_COMPONENT_TYPEINFO:
        return walk_variable("__typeinfo_name__", left);
      case DEMANGLE_COMPONENT_TYPEINFO_NAME:
        return walk_variable("__typeinfo__", left);
      case DEMANGLE_COMPONENT_GUARD:
        return walk_variable("__guard_variable__", left);
      case DEMANGLE_COMPONENT_REFTEMP:
        return walk_variable("__ref_temp__", left);
      case DEMANGLE_COMPONENT_TLS_INIT:
        return walk_variable("TLS_init::", left);
      case DEMANGLE_COMPONENT_TLS_WRAPPER:
        return walk_variable("TLS_wrap::", left);
      default:
        throw NotUnderstood();
    }
  }

  void walk_variable(std::string_view words, Component* name) {
    said_ += words;
    walk(name);
  }

  void say_source_name(std::string_view name) {
    if (is_rust_hash(name)) return;
    if (name == "(anonymous namespace)") return say("_GLOBAL__N_1");
    say(name.find('$') == std::string_view::npos ? std::string(name) : without_rust_escapes(name));
  }

  // "std::allocator", or a template with its arguments.
  void say_abbreviation(std::string_view name) {
    const bool is_string = name.starts_with("std::basic_string<");
    say(is_string ? "std::basic_string<>" : name.substr(0, name.find('<')));
  }

  void say_operator(Component& part) {
    std::string text;
    const auto append = [](const char* piece, std::size_t size, void* to) {
      static_cast<std::string*>(to)->append(piece, size);
    };
    if (cplus_demangle_print_callback(DMGL_NO_OPTS, &part, append, &text) == 0) throw NotUnderstood();
    say(text);
  }

  // Constructors and destructors repeat what was said last.
  std::string class_name() const {
    const std::size_t colon = said_.rfind(':');
    return said_.substr(colon == std::string::npos ? 0 : colon + 1);
  }

  std::string said_;
  bool first_ = true;  // no "::" before the next name
  unsigned steps_ = 0;
};

// ABI: "<unresolved-name>". libiberty's tree of a symbol that holds one depends on uninitialized memory
// (cplus_demangle_v3_components() leaves a field of its state unset), its text does not.
constexpr std::string_view kUnresolvedName = "sr";

// The names in a demangled text: what stands in brackets of any kind is left out.
class TextNames {
 public:
  explicit TextNames(std::string_view text) : rest_(text) {}

  // Nothing for a text that is more than names.
  std::optional<std::string> read() {
    while (!rest_.empty()) {
      if (accept("(anonymous namespace)")) {
        said_ += "_GLOBAL__N_1";
      } else if (rest_.starts_with("operator") && (said_.empty() || said_.ends_with(':'))) {
        read_operator();
      } else if (rest_.front() == '<' || rest_.front() == '(' || rest_.starts_with("[abi:")) {
        skip_bracket();
      } else if (rest_.starts_with(" <")) {
        rest_.remove_prefix(1);  // behind "operator<<", to tell the brackets apart
      } else if (rest_.starts_with(" [clone")) {
        break;
      } else if (rest_.front() == ' ' || rest_.front() == '{') {
        return std::nullopt;
      } else {
        said_ += rest_.front();
        rest_.remove_prefix(1);
      }
    }
    return said_.empty() ? std::nullopt : std::optional(said_);
  }

 private:
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void read_operator() {
    static constexpr std::array<std::string_view, 16> kTokens{
        " new[]", " delete[]", " new", " delete", "<<=", ">>=", "<=>", "->*",
        "<<",     ">>",        "<=",   ">=",      "->",  "()",  "<",   ">"};
    accept("operator");
    said_ += "operator";
    const auto* const token =
        std::ranges::find_if(kTokens, [this](std::string_view t) { return rest_.starts_with(t); });
    if (token != kTokens.end()) {
      said_ += *token;
      rest_.remove_prefix(token->size());
    } else if (rest_.starts_with(' ')) {  // a conversion to a type
      said_ += "(cast)";
      rest_ = {};
    }
  }

  // The bracket at the front, up to its partner.
  void skip_bracket() {
    int open = 0;
    do {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '<' || c == '(' || c == '[') ++open;
      if (c == ')' || c == ']' || (c == '>' && !(last_ == '-'))) --open;
      last_ = c;
    } while (open > 0 && !rest_.empty());
  }

  std::string_view rest_;
  std::string said_;
  char last_ = 0;
};

}  // namespace

bool is_harmless_cpp_name(std::string_view symbol) {
  // The stack that libiberty needs is in proportion to the length: up to 200 bytes for each character.
  constexpr std::size_t kLongest = 8192;
  // Behind a conversion operator it reads "T_I", the arguments of a template parameter, twice, and so the
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

std::optional<std::string> short_cpp_name(std::string_view symbol) {
  // The tree points into this text.
  const std::string plain(symbol.substr(0, symbol.find('@')));  // without "@GLIBC_2.4"
  if (!is_harmless_cpp_name(plain)) return std::nullopt;
  if (plain.find(kUnresolvedName) != std::string::npos) {
    const auto full = full_name(plain, Parameters::Hidden);
    return full ? TextNames(*full).read() : std::nullopt;
  }
  void* memory = nullptr;
  Component* const tree =
      cplus_demangle_v3_components(plain.c_str(), DMGL_VERBOSE | DMGL_NO_RECURSE_LIMIT, &memory);
  const std::unique_ptr<void, decltype(&std::free)> owner(memory, &std::free);
  if (tree == nullptr) return std::nullopt;
  try {
    return NameWalk().names_of(*tree);
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace convert
