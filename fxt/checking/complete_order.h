// In which order a trace has its complete events. Most programs write them in the order of their begins, an
// outer call before those inside it; some write a call when it has ended, so that it stands behind those
// inside it. Internal to the Cutter and the programs; the Checker does not need it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fxt/format.h"

namespace fxt {

enum class CompleteOrder : std::uint8_t { Unknown, ByBegin, ByEnd };

// How many events without evidence of the order are kept, before the order of begins is assumed.
inline constexpr std::size_t kMaxWithoutOrder = std::size_t{1} << 16;

// Whether a call lies around the one before it in the file, with which it begins. Calls of no length enclose
// nothing, and lie beside it.
constexpr bool ends_around(std::uint64_t before_begin, std::uint64_t before_end, std::uint64_t begin,
                           std::uint64_t end) {
  return begin == before_begin && before_begin < before_end && before_end < end;
}

// Looks for evidence in the duration events of one thread. The first one, of any thread, holds for the whole
// trace.
class CompleteOrderEvidence {
 public:
  // What the next event shows. A complete event inside the complete event before it means the order of
  // begins; one that begins before an earlier event, or with a shorter complete event before it, means the
  // order of ends. `end` is only used of complete events.
  CompleteOrder shown_by(EventType type, std::uint64_t begin, std::uint64_t end) {
    const bool is_late = begin < last_;
    last_ = std::max(last_, begin);
    if (type != EventType::DurationComplete) return CompleteOrder::Unknown;
    if (is_late) return CompleteOrder::ByEnd;
    const std::uint64_t before_begin = std::exchange(complete_begin_, begin);
    const std::uint64_t before_end = std::exchange(complete_end_, end);
    if (ends_around(before_begin, before_end, begin, end)) return CompleteOrder::ByEnd;
    const bool is_inside = begin < before_end && end <= before_end;
    const bool is_shorter = begin > before_begin || end < before_end;
    return is_inside && is_shorter ? CompleteOrder::ByBegin : CompleteOrder::Unknown;
  }

 private:
  std::uint64_t last_ = 0;                               // the latest begin
  std::uint64_t complete_begin_ = 0, complete_end_ = 0;  // of the latest complete event
};

}  // namespace fxt
