// Finds out which collected item each action of a tracepoint records. A trace file does not contain this: it
// follows from the order and the form of items and actions, and from addresses and sizes in the program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {

// The item of each expression action and of each memory action of a location.
struct ItemMatch {
  std::vector<const CollectItem*> expressions;  // null: unknown
  std::vector<const CollectItem*> memory;       // null: unknown, or several items
};

// What the program knows about an item.
struct ItemFacts {
  std::optional<bool> is_static = {};         // an object with an address of its own
  std::optional<std::uint64_t> address = {};  // of the object
  std::optional<std::uint64_t> size = {};     // of the item's value
  bool has_no_memory = false;                 // it is in a register, or optimized out
};

// `facts` is called for names, expressions and values; `variable_name` names a trace state variable.
ItemMatch match_items(std::span<const CollectItem> items, std::span<const TracepointAction> actions,
                      const std::function<ItemFacts(const CollectItem&)>& facts,
                      const std::function<std::string_view(std::uint64_t)>& variable_name);

}  // namespace convert::tfile
