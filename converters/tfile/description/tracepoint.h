// Tracepoint locations and their actions. The `tp` lines define the locations in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/support/budget.h"

namespace convert::tfile {

// One action of a tracepoint: `R`, `M`, `X` or `L` of its `tp` line.
struct TracepointAction {
  enum class Kind : std::uint8_t { Registers, Memory, Expression, StaticData };
  Kind kind;
  std::string mask = {};             // Registers: hexadecimal digits, bit i = register number i
  std::int64_t base = -1;            // Memory: a register number, or -1 for an absolute address
  std::int64_t offset = 0;           // Memory: added to the base
  std::uint64_t length = 0;          // Memory: bytes
  std::vector<std::byte> code = {};  // Expression: agent bytecode
};

// A limit for the memory that the description of a trace file occupies. This memory can be far larger than
// the text of the description, because a line of 20 bytes may define a location.
inline constexpr fxt::Limit kDescriptionMemory{"MiB for the tracepoints of a trace file", 80 * fxt::kMiB,
                                               16 * fxt::kKiB};

// Reads a list of actions: the text after "A<n>:<address>:" or "S…:". Returns nothing if the text is damaged.
// If the next action exceeds the budget, returns only the actions before it.
std::optional<std::vector<TracepointAction>> read_actions(std::string_view text, fxt::Budget& memory);

// An address where a tracepoint was set. The locations of one tracepoint have the same number.
struct TracepointLocation {
  std::uint64_t number = 0;   // the target's number
  std::uint64_t address = 0;  // of the instruction
  bool defined = false;       // a T piece exists
  bool enabled = false;
  std::uint64_t step_count = 0;  // number of while-stepping steps; 0: none
  std::uint64_t pass_count = 0;  // 0: none
  bool is_fast = false;
  bool is_static = false;
  std::vector<std::byte> condition;  // bytecode, empty: none
  std::string at;                    // the location in the user's spelling
  std::string condition_text;
  std::vector<std::string> commands;  // the user's actions, in order
  std::vector<TracepointAction> hit_actions, step_actions;
  std::optional<std::uint64_t> hits, bytes_used;

  // A text from Z pieces: the location ("at"), the condition ("cond") or an action ("cmd") as the user wrote
  // it. finish() moves these texts to the members above.
  struct Source {
    std::string type;
    std::uint64_t length = 0;
    std::string text;
  };
  std::vector<Source> sources;
};

// The function or line that an `at` text names: "fib" for "-function fib", "a.c:3" for "-source a.c -line 3".
std::string location_text(const std::string& at);

class TracepointReader {
 public:
  // `memory` is a budget of kDescriptionMemory.
  explicit TracepointReader(fxt::Budget& memory) : memory_(memory) {}

  // Adds a piece: the text after "tp ". Returns a problem, or nothing. If the budget is exceeded, the piece
  // or the rest of its actions is left out.
  std::optional<std::string> add_piece(std::string_view piece);
  // Completes the locations. Must be called once, after the last piece.
  void finish();

  // The locations in the order of definition. (Files list them in reverse order.)
  const std::vector<TracepointLocation>& locations() const { return locations_; }
  std::vector<TracepointLocation> take_locations() { return std::move(locations_); }

 private:
  TracepointLocation* location(std::uint64_t number, std::uint64_t address);  // null if over budget
  fxt::Budget& memory_;
  std::vector<TracepointLocation> locations_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> by_key_;  // (number, address) -> index
};

}  // namespace convert::tfile
