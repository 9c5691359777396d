// Watches the events of each thread as a Writer gets them: time order, nesting, balance, flows inside a
// duration (fxt-notes W15, W16, W17, W21). Internal to the Writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fxt/records.h"

namespace fxt {

class DurationGuard {
 public:
  // A duration that was begun and not ended.
  struct Unfinished {
    Thread thread;
    std::string category, name;  // of its begin
  };

  // What is wrong with the event at this place, in the caller's terms; empty if nothing is.
  std::string objection(const Event& event) const;
  // The event was written.
  void written(const Event& event);
  // The thread's events are written without being seen here.
  void release(const Thread& thread);
  // What is still open, innermost first, thread by thread; and when the last event was.
  std::vector<Unfinished> unfinished() const;
  std::uint64_t last_time() const { return last_time_; }

 private:
  struct Duration {
    std::optional<std::uint64_t> end;  // none: waits for its end event
    std::string category, name;
  };
  struct Track {
    std::uint64_t last_time = 0;
    std::vector<Duration> open;
    bool released = false;
  };
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // process, thread

  static std::size_t open_at(const Track& track, const Event& event);

  std::map<Key, Track> tracks_;
  std::uint64_t last_time_ = 0;
};

}  // namespace fxt
