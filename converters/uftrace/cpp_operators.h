// The operators of C++ in mangled names: as the name of a function, and inside expressions.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace convert::uftrace {

// ABI: "<operator-name>". `operands` counts what follows the code inside an expression.
struct Operator {
  std::string_view code;
  std::string_view name;  // behind the word "operator"
  unsigned operands;
};
inline constexpr std::array kOperators{
    Operator{"nw", " new", 0}, Operator{"na", " new[]", 0}, Operator{"dl", " delete", 1},
    Operator{"da", " delete[]", 1}, Operator{"aw", " co_await", 1}, Operator{"ps", "+", 1},
    Operator{"ng", "-", 1}, Operator{"ad", "&", 1}, Operator{"de", "*", 1}, Operator{"co", "~", 1},
    Operator{"pl", "+", 2}, Operator{"mi", "-", 2}, Operator{"ml", "*", 2}, Operator{"dv", "/", 2},
    Operator{"rm", "%", 2}, Operator{"an", "&", 2}, Operator{"or", "|", 2}, Operator{"eo", "^", 2},
    Operator{"aS", "=", 2}, Operator{"pL", "+=", 2}, Operator{"mI", "-=", 2}, Operator{"mL", "*=", 2},
    Operator{"dV", "/=", 2}, Operator{"rM", "%=", 2}, Operator{"aN", "&=", 2}, Operator{"oR", "|=", 2},
    Operator{"eO", "^=", 2}, Operator{"ls", "<<", 2}, Operator{"rs", ">>", 2}, Operator{"lS", "<<=", 2},
    Operator{"rS", ">>=", 2}, Operator{"eq", "==", 2}, Operator{"ne", "!=", 2}, Operator{"lt", "<", 2},
    Operator{"gt", ">", 2}, Operator{"le", "<=", 2}, Operator{"ge", ">=", 2}, Operator{"ss", "<=>", 2},
    Operator{"nt", "!", 1}, Operator{"aa", "&&", 2}, Operator{"oo", "||", 2}, Operator{"pp", "++", 1},
    Operator{"mm", "--", 1}, Operator{"cm", ",", 2}, Operator{"pm", "->*", 2}, Operator{"pt", "->", 0},
    Operator{"cl", "()", 0}, Operator{"ix", "[]", 2}, Operator{"qu", "?", 3}, Operator{"cv", "(cast)", 0},
    Operator{"li", "\"\"", 0},
    // Only in expressions:
    Operator{"ds", ".*", 2}, Operator{"sz", "", 1}, Operator{"az", "", 1}, Operator{"te", "", 1},
    Operator{"nx", "", 1}, Operator{"sp", "", 1}, Operator{"tw", "", 1}, Operator{"tr", "", 0}};

inline const Operator* find_operator(char first, char second) {
  const auto* const found = std::ranges::find_if(
      kOperators, [&](const Operator& o) { return o.code[0] == first && o.code[1] == second; });
  return found != kOperators.end() ? found : nullptr;
}

}  // namespace convert::uftrace
