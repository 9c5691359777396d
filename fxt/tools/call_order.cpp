#include "fxt/tools/call_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "fxt/tools/calls.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kMaxKept = std::size_t{1} << 20;

}  // namespace

std::uint32_t CallOrder::keep(const CallEvent& event) {
  if (event.thread->index >= threads_.size()) threads_.resize(event.thread->index + 1);
  const std::uint32_t name = add(event);
  if (order_ != CompleteOrder::Unknown) return name;
  as_written_.push_back(event);
  order_ = threads_[event.thread->index].evidence.shown_by(event.type, event.begin_ns, event.end_ns);
  if (order_ == CompleteOrder::Unknown && as_written_.size() >= kMaxWithoutOrder)
    order_ = CompleteOrder::ByBegin;
  return name;
}

std::uint32_t CallOrder::add(const CallEvent& event) {
  std::vector<BegunCall>& begun = threads_[event.thread->index].begun;
  if (event.type == EventType::DurationBegin) {
    begun.push_back({.begin = event});
    return event.name;
  }
  CallEvent whole = event;
  if (event.type == EventType::DurationEnd && !begun.empty()) {
    whole.name = begun.back().begin.name;
    if (!begun.back().is_taken) {
      whole = begun.back().begin;
      whole.type = EventType::DurationComplete;
      whole.end_ns = std::max(whole.begin_ns, event.end_ns);
    }
    begun.pop_back();
  }
  kept_.push_back({.event = whole, .number = number_++});
  return whole.name;
}

std::vector<CallEvent> CallOrder::take_ready() {
  if (order_ == CompleteOrder::ByBegin) {
    kept_ = {};
    threads_ = {};
    return std::exchange(as_written_, {});
  }
  if (order_ == CompleteOrder::Unknown) return {};
  as_written_ = {};
  if (kept_.size() < kMaxKept) return {};
  sort();
  const std::size_t half = kept_.size() / 2;
  keep_begun(kept_[half].event.begin_ns);
  sort();
  return take(half);
}

std::vector<CallEvent> CallOrder::take_all() {
  if (order_ != CompleteOrder::ByEnd) return std::exchange(as_written_, {});
  keep_begun(~std::uint64_t{0});
  sort();
  return take(kept_.size());
}

// Adds the begins up to a time whose ends have not come yet.
void CallOrder::keep_begun(std::uint64_t until_ns) {
  for (ThreadOrder& thread : threads_)
    for (BegunCall& call : thread.begun) {
      if (call.is_taken || call.begin.begin_ns > until_ns) continue;
      call.is_taken = true;
      kept_.push_back({.event = call.begin, .number = number_++});
      kept_.back().event.end_ns = ~std::uint64_t{0};
    }
}

// An outer call stands before those inside it: it begins no later, and ends no earlier; if both are equal it
// has ended later in the file, or has begun earlier there and not ended. Calls of no length enclose none.
// Calls that begin before what was taken of their thread come last: all of that may lie inside them.
void CallOrder::sort() {
  const auto key = [](const KeptEvent& kept) {
    const CallEvent& event = kept.event;
    const bool in_order = event.begin_ns == event.end_ns || event.type != EventType::DurationComplete;
    return std::tuple(event.begin_ns < event.thread->last_ns, event.begin_ns,
                      event.type != EventType::DurationEnd, ~event.end_ns,
                      in_order ? kept.number : ~kept.number);
  };
  std::ranges::sort(kept_, {}, key);
}

std::vector<CallEvent> CallOrder::take(std::size_t count) {
  std::vector<CallEvent> events;
  events.reserve(count);
  for (std::size_t i = 0; i < count; ++i) events.push_back(kept_[i].event);
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
  return events;
}

}  // namespace fxt::tools
