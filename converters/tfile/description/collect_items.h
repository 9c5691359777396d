// What the user asked a tracepoint to collect, item by item, out of the source form of its actions.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace convert::tfile {

struct CollectItem {
  enum class Kind : std::uint8_t {
    Registers,      // $regs, a single register: no memory of its own
    ReturnAddress,  // $_ret: an expression, where it lies in memory
    Variables,      // $args, $locals: one expression for each variable, unnamed
    StaticData,     // $_sdata
    Variable,       // a trace state variable
    Name,           // a name, qualified or not: memory when it is static, else an expression
    Value,          // "a+b", "&x", "(int)x": lies nowhere, so only what it is computed from is recorded
    Expression,     // anything else: "*p", "a[2]@3", "it->next"
    Evaluate,       // teval: records nothing
  };
  Kind kind;
  std::string text;        // as the user wrote it
  bool is_string = false;  // collect/s
};

struct CollectItems {
  std::vector<CollectItem> hit, step;
};

// Splits the commands ("collect a, b", "while-stepping 3", "end", …) of a location. `is_variable` and
// `is_register` say what a $name is (without the $).
CollectItems collect_items(const std::vector<std::string>& commands,
                           const std::function<bool(std::string_view)>& is_variable,
                           const std::function<bool(std::string_view)>& is_register);

}  // namespace convert::tfile
