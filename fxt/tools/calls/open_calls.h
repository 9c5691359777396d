// The durations that are open on a thread, from events in the order of the file. Where that is the order of
// time, as the writers of whole traces keep it, they are exactly those around the next event.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fxt::tools {

class OpenCalls {
 public:
  struct Call {
    std::size_t name = 0;  // the caller's own
    std::uint64_t begin_ns = 0;
    std::uint64_t end_ns = 0;    // when it is known
    bool waits = false;          // for its end event
    std::uint64_t inner_ns = 0;  // of the calls right inside it

    std::uint64_t total_ns() const { return end_ns - begin_ns; }
    std::uint64_t self_ns() const { return total_ns() - std::min(inner_ns, total_ns()); }
  };

  std::size_t depth() const { return calls_.size(); }
  std::uint64_t last_ns() const { return last_ns_; }

  // An event comes at this time, or begins then. What is over before it is told: over(call), innermost first.
  // False (and nothing done) if another event of the thread was later: nobody knows what lies around this
  // one.
  template <typename Over>
  bool advance(std::uint64_t time_ns, Over over) {
    if (time_ns < last_ns_) return false;
    last_ns_ = time_ns;
    while (!calls_.empty() && !calls_.back().waits && calls_.back().end_ns <= time_ns) pop(over);
    return true;
  }
  void push(const Call& call) {
    calls_.push_back(call);
    if (call.waits) ++waiting_;
  }
  // The innermost one that waits for its end has it, and so have those inside it. False if none waits.
  template <typename Over>
  bool end(std::uint64_t time_ns, Over over) {
    if (waiting_ == 0) return false;
    while (!calls_.back().waits) pop(over);
    calls_.back().end_ns = time_ns;
    pop(over);
    return true;
  }
  // No event comes any more: what still waits ends with the latest of all.
  template <typename Over>
  void finish(Over over) {
    for (const Call& call : calls_) last_ns_ = std::max(last_ns_, call.end_ns);
    while (!calls_.empty()) {
      if (calls_.back().waits) calls_.back().end_ns = last_ns_;
      pop(over);
    }
  }

 private:
  template <typename Over>
  void pop(Over over) {
    const Call call = calls_.back();
    calls_.pop_back();
    if (call.waits) --waiting_;
    if (!calls_.empty()) calls_.back().inner_ns += call.total_ns();
    over(call);
  }

  std::vector<Call> calls_;  // outermost first
  std::size_t waiting_ = 0;  // of these
  std::uint64_t last_ns_ = 0;
};

}  // namespace fxt::tools
