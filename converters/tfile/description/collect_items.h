// The items that a tracepoint collects, from the source text of its actions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convert::tfile {

struct CollectItem {
  enum class Kind : std::uint8_t {
    Registers,      // $regs, or a single register: recorded by a mask of registers
    ReturnAddress,  // $_ret: recorded by an expression if it is in memory
    Variables,      // $args, $locals: recorded by one expression per variable
    StaticData,     // $_sdata
    Variable,       // a trace state variable
    Name,           // a name: recorded as a range of memory if it is static, else by an expression
    Value,          // "a+b", "&x", "(int)x": has no address, so only its operands are recorded
    Expression,     // anything else: "*p", "a[2]@3", "it->next"
    Evaluate,       // teval: records nothing
  };
  Kind kind;
  std::string text;        // the user's spelling
  bool is_string = false;  // collect/s
};

struct CollectItems {
  std::vector<CollectItem> hit, step;
};

using IsName = std::function<bool(std::string_view)>;
inline bool is_no_name(std::string_view) { return false; }

// Returns the items of the commands of a location ("collect a, b", "while-stepping 3", "end", …).
// `is_variable` and `is_register` decide whether a $name is a variable or a register. They get the name
// without the $.
CollectItems collect_items(const std::vector<std::string>& commands, const IsName& is_variable = is_no_name,
                           const IsName& is_register = is_no_name);

// The offset after the template arguments that begin at `at`. Returns `at` if there are none. If `is_type` is
// false, "::" must follow them, as in "Box<int, 3>::all", because "<" could also be an operator.
std::size_t end_of_template_arguments(std::string_view text, std::size_t at, bool is_type = false);

// The text in the quotes that begin at `at`. Nothing if the quotes do not end. A text of one character, or
// with a backslash at its start, is a character. If "::" follows the quotes, the text is the name of a file.
// Otherwise, it is the name of a variable: "'app::count'".
std::optional<std::string_view> quoted_at(std::string_view text, std::size_t at);
inline bool is_quoted_character(std::string_view inside) {
  return inside.size() == 1 || inside.starts_with('\\');
}

}  // namespace convert::tfile
