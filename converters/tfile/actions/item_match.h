// Which of the things that a user collects each action of a tracepoint records. Nothing in a trace file says
// so: their order does, their form, and what the program tells of their places and sizes.
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

// Which item each expression and each memory range of a location's actions belongs to.
struct ItemMatch {
  std::vector<const CollectItem*> expressions;  // by expression action; null: unknown
  std::vector<const CollectItem*> memory;       // by memory action; null: unknown, or several in one
};

// What the program knows of an item; nothing: nobody knows.
struct ItemFacts {
  std::optional<bool> is_static = {};         // an object with an address of its own
  std::optional<std::uint64_t> address = {};  // of it
  std::optional<std::uint64_t> size = {};     // of the item's value
  bool takes_no_memory = false;               // it lies in a register, or nowhere
};

// `facts` are asked for names and expressions; `variable_name` names a trace state variable by its number.
ItemMatch match_items(std::span<const CollectItem> items, std::span<const TracepointAction> actions,
                      const std::function<ItemFacts(const CollectItem&)>& facts,
                      const std::function<std::string_view(std::uint64_t)>& variable_name);

}  // namespace convert::tfile
