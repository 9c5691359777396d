// Short names of C++: what libiberty demangles, without parameters, template arguments and return types.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/symbols/demangle.h"

namespace convert {
namespace {

using Words = std::pair<std::string_view, std::string_view>;

// libiberty's words before special names, and uftrace's. A thunk is shown as the function that it calls.
constexpr std::array kSpecialNames{
    Words{"vtable for ", "__vtable__"},
    Words{"VTT for ", "__VTT__"},
    Words{"construction vtable for ", "__construction_vtable__"},
    Words{"typeinfo for ", "__typeinfo_name__"},
    Words{"typeinfo name for ", "__typeinfo__"},
    Words{"guard variable for ", "__guard_variable__"},
    Words{"reference temporary #", "__ref_temp__"},
    Words{"TLS init function for ", "TLS_init::"},
    Words{"TLS wrapper function for ", "TLS_wrap::"},
    Words{"non-virtual thunk to ", ""},
    Words{"virtual thunk to ", ""},
    Words{"covariant return thunk to ", ""},
    Words{"hidden alias for ", ""},
    Words{"transaction clone for ", ""},
    Words{"non-transaction clone for ", ""},
};

// The ABI's abbreviation "Ss" means a class with its template arguments; uftrace keeps its brackets.
constexpr std::string_view kString = "std::basic_string<char, std::char_traits<char>, std::allocator<char> >";
constexpr std::string_view kShortString = "std::basic_string<>";

// What stands between two '$' in the older Rust mangling.
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
  constexpr unsigned kFirstPrintable = 0x20;
  constexpr unsigned kLastPrintable = 0x7e;
  if (!value || *value < kFirstPrintable || *value > kLastPrintable) return std::nullopt;
  return static_cast<char>(*value);
}

// The last part of a path in the older Rust mangling: 'h' and 16 hexadecimal digits.
bool is_rust_hash(std::string_view name) {
  constexpr std::size_t kHashSize = 17;
  return name.size() == kHashSize && name.starts_with('h') &&
         std::ranges::all_of(name.substr(1), is_hex_digit);
}

void append_with_colons(std::string& text, std::string_view part) {
  for (std::size_t dots; (dots = part.find("..")) != std::string_view::npos; part.remove_prefix(dots + 2)) {
    text += part.substr(0, dots);
    text += "::";
  }
  text += part;
}

// "_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$" becomes "_<alloc::vec::Vec<T>>": like
// uftrace, without the trait. Text from an unknown escape on stays as it is.
std::string without_rust_escapes(std::string_view name) {
  constexpr std::string_view kAs = "$u20$as$u20$";
  std::string text;
  while (true) {
    const std::size_t dollar = name.find('$');
    if (dollar == std::string_view::npos) break;
    const std::string_view escape = name.substr(dollar);
    if (escape.starts_with(kAs)) {
      append_with_colons(text, name.substr(0, dollar));
      return text + '>';
    }
    const std::size_t end = escape.find('$', 1);
    const auto character =
        end != std::string_view::npos ? rust_character(escape.substr(1, end - 1)) : std::nullopt;
    if (!character) break;
    append_with_colons(text, name.substr(0, dollar));
    text += *character;
    name = escape.substr(end + 1);
  }
  text += name;
  return text;
}

// Reads a demangled name scope by scope.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  std::optional<std::string> read() {
    while (accept_special_name()) continue;
    do {
      read_scope();
      skip_details();
    } while (accept("::"));
    if (names_.empty() || (!rest_.empty() && !rest_.starts_with(" [clone"))) return std::nullopt;
    return std::move(names_);
  }

 private:
  bool accept(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool accept_special_name() {
    const auto* const found = std::ranges::find_if(
        kSpecialNames, [this](const Words& words) { return rest_.starts_with(words.first); });
    if (found == kSpecialNames.end()) return false;
    rest_.remove_prefix(found->first.size());
    names_ += found->second;
    // "construction vtable for A-in-B" is part of B; a reference temporary has a number.
    if (found->second == "__construction_vtable__") skip_behind("-in-");
    if (found->second == "__ref_temp__") skip_behind(" for ");
    return true;
  }

  void skip_behind(std::string_view text) {
    if (const std::size_t at = rest_.find(text); at != std::string_view::npos)
      rest_.remove_prefix(at + text.size());
  }

  void add(std::string_view name) {
    if (!is_first_) names_ += "::";
    names_ += name;
    is_first_ = false;
  }

  // Up to the next scope, template arguments, parameters or ABI tags. Every name passes here: no
  // find_first_of(), which searches all of these characters for each one of the name.
  std::string_view next_name() const {
    std::size_t size = 0;
    for (; size != rest_.size(); ++size) {
      const char c = rest_[size];
      if (c == '<' || c == '(' || c == '[' || c == '{' || c == ' ' || c == '@') break;
      if (c == ':' && rest_.substr(size).starts_with("::")) break;
    }
    return rest_.substr(0, size);
  }

  // A class, function or namespace, up to its template arguments or parameters.
  void read_scope() {
    constexpr std::string_view kOperator = "operator";
    if (accept(kString)) return add_string();
    if (accept("(anonymous namespace)")) return add("_GLOBAL__N_1");
    if (rest_.starts_with("{lambda")) return add_lambda();
    const std::string_view name = next_name();
    if (name.starts_with(kOperator) &&
        (name.size() == kOperator.size() || !is_word_character(name[kOperator.size()])))
      return add_operator();
    rest_.remove_prefix(name.size());
    if (name.empty() || is_rust_hash(name)) return;
    add(name.find('$') == std::string_view::npos ? std::string(name) : without_rust_escapes(name));
  }

  // Its constructors and destructors have its name.
  void add_string() {
    add(kShortString);
    for (const std::string_view member : {"::basic_string", "::~basic_string"}) {
      if (!accept(member)) continue;
      names_ += member;
      names_ += "<>";
    }
  }

  // "{lambda(int)#1}" is the first one of its function.
  void add_lambda() {
    const std::string_view lambda = skip_bracket();
    std::string_view number = lambda.substr(lambda.rfind('#') + 1);
    add("$_" + std::to_string(consume_number(number).value_or(1) - 1));
  }

  void add_operator() {
    // Longer ones before those that they begin with. Others than these have no angle bracket.
    static constexpr std::array<std::string_view, 18> kTokens{
        " new[]", " delete[]", " new", " delete", " co_await", "<<=", ">>=", "<=>", "->*",
        "<<",     ">>",        "<=",   ">=",      "->",        "()",  "[]",  "<",   ">"};
    accept("operator");
    const auto* const token =
        std::ranges::find_if(kTokens, [this](std::string_view t) { return rest_.starts_with(t); });
    if (token != kTokens.end()) {
      rest_.remove_prefix(token->size());
      add("operator" + std::string(*token));
    } else if (accept("\"\" ")) {
      rest_.remove_prefix(std::min(rest_.find_first_of("<([: "), rest_.size()));
      add("operator\"\"");
    } else if (rest_.starts_with(' ')) {  // to a type, up to the parameters
      while (!rest_.empty() && !rest_.starts_with("()"))
        if (rest_.front() == '<')
          skip_bracket();
        else
          rest_.remove_prefix(1);
      add("operator(cast)");
    } else {
      const std::string_view sign = rest_.substr(0, rest_.find_first_not_of("+-*/%^&|~!=,"));
      rest_.remove_prefix(sign.size());
      add("operator" + std::string(sign));
    }
  }

  // Template arguments, ABI tags, a module; parameters and what follows them up to the next scope.
  void skip_details() {
    if (rest_.starts_with(" <")) rest_.remove_prefix(1);  // after "operator<"
    while (!rest_.empty() && !rest_.starts_with("::")) {
      if (rest_.front() == '<' || rest_.starts_with("[") || rest_.front() == '{') {
        skip_bracket();
      } else if (rest_.front() == '@') {
        rest_.remove_prefix(std::min(rest_.find_first_of("<([: "), rest_.size()));
      } else if (rest_.front() == '(') {
        skip_bracket();
        while (!rest_.empty() && !rest_.starts_with("::") && !rest_.starts_with(" [clone"))
          rest_.remove_prefix(1);
      } else if (!accept(" const") && !accept(" volatile") && !accept(" &&") && !accept(" &")) {
        return;
      }
    }
  }

  // Removes the bracket at the front with all that it holds, and returns it. Inside round brackets, angle
  // brackets are not counted: they may be operators.
  std::string_view skip_bracket() {
    const std::string_view before = rest_;
    std::string closing;
    char last = 0;
    do {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '(')
        closing += ')';
      else if (c == '[')
        closing += ']';
      else if (c == '{')
        closing += '}';
      else if (c == '<' && (closing.empty() || closing.back() == '>'))
        closing += '>';
      else if (!closing.empty() && c == closing.back() && !(c == '>' && last == '-'))
        closing.pop_back();
      last = c;
      // Between operands in round brackets stands an operator.
      if (c == ')' && !closing.empty() && closing.back() == '>')
        for (const std::string_view sign : {"<<", "<=", ">>", ">=", "<"})
          if (accept(sign)) break;
    } while (!closing.empty() && !rest_.empty());
    return before.substr(0, before.size() - rest_.size());
  }

  std::string_view rest_;
  std::string names_;
  bool is_first_ = true;  // no "::" before the next name
};

}  // namespace

std::optional<std::string> short_cpp_name(std::string_view demangled) { return NameReader(demangled).read(); }

}  // namespace convert
