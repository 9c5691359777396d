// What the Writer, the Checker and the Cutter ask about names and arguments. Internal to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/format.h"
#include "fxt/records.h"
#include "fxt/value.h"

namespace fxt {

// A name in a message, cut when it is long.
std::string quoted(std::string_view name);

// One number for the category and name of an event; 0 if both are empty.
std::size_t hash_of_names(const Event& event);

// Perfetto recognizes the idle thread of subtype 1 scheduling records by this weight, under one of these
// names. It ignores that thread, and a cpu that has no other (W18, W25).
inline constexpr std::int32_t kIdleWeight = std::numeric_limits<std::int32_t>::min();
inline constexpr std::string_view kIncomingWeight = "incoming_weight", kOutgoingWeight = "outgoing_weight",
                                  kWakeupWeight = "weight";
bool is_idle(const Arguments& arguments, std::string_view weight);
bool uses_cpu(const ContextSwitch& context_switch);
bool uses_cpu(const ThreadWakeup& wakeup);

class ArgumentNames {
 public:
  // The names of one record, as their hashes. Few records have names that no other has.
  using Names = std::vector<std::size_t>;
  static std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

  // An empty list, to be filled; the same memory each time.
  Names& list() {
    list_.clear();
    return list_;
  }
  // A number for these names, the same for the same ones in this order; 0 for none.
  std::uint32_t number_of(const Names& names);
  std::uint32_t number_of(const Arguments& arguments);
  // Whether one name is among those of both numbers.
  bool share(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Hash {
    std::size_t operator()(const Names& names) const;
  };
  std::unordered_map<Names, std::uint32_t, Hash> numbers_;
  std::vector<const Names*> names_;  // by number, from 1; keys of numbers_
  Names list_;
};

}  // namespace fxt
