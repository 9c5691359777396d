// Equality of records that borrow words.
#include "fxt/records.h"

#include <algorithm>

namespace fxt {

bool operator==(const ProfilerBacktrace& a, const ProfilerBacktrace& b) {
  return a.time == b.time && a.thread == b.thread && a.flags == b.flags &&
         std::ranges::equal(a.frames, b.frames);
}

bool operator==(const UnknownRecord& a, const UnknownRecord& b) {
  return std::ranges::equal(a.words, b.words);
}

std::optional<ArgumentType> type_of_scheduling_argument(std::string_view name) {
  if (name == "incoming_weight" || name == "outgoing_weight" || name == "weight") return ArgumentType::Int32;
  if (name == "waker") return ArgumentType::Koid;
  return std::nullopt;
}

}  // namespace fxt
