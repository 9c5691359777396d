// Hands the events of cpus to the threads that they are about: reads the merged files of one kind and fills a
// queue of messages for each thread, in order of time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lanes/event.h"
#include "converters/model/merging/source.h"
#include "converters/uftrace/cpus/cpu_files.h"

namespace convert::uftrace {

// Messages for one thread, which wait until its own records come to the same time. The files' source stages
// messages while a round runs, and delivers them between rounds; the thread's source consumes them in a
// round.
template <typename Message>
class MessageQueue {
 public:
  bool has_staged() const { return !staged_.empty(); }
  void stage(const Message& message) { staged_.push_back(message); }  // in order of time
  void deliver() {
    if (first_ >= messages_.size() - first_) {  // so that a message is moved once at most
      messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    if (messages_.empty())
      messages_.swap(staged_);
    else
      messages_.insert(messages_.end(), staged_.begin(), staged_.end());
    staged_.clear();
  }

  // The earliest delivered message; null if there is none.
  const Message* first() const { return first_ == messages_.size() ? nullptr : &messages_[first_]; }
  void pop_front(std::size_t count = 1) { first_ += count; }
  std::size_t waiting_bytes() const { return (messages_.size() - first_) * sizeof(Message); }

 private:
  std::vector<Message> messages_, staged_;
  std::size_t first_ = 0;  // of messages_, that was not consumed
};

// Messages for threads without a queue are left out.
template <typename Queue>
using QueuesByThread = std::unordered_map<ThreadId, Queue>;

// One source reads all files of a kind: one thread is fast enough for all cpus. A derived class stages what
// an event means for threads.
template <typename Cursor, typename Message, typename Queue = MessageQueue<Message>>
class CpuFileSource : public SharedSource {
 public:
  bool pump(const PumpBudget& budget) final {
    constexpr std::size_t kMinEvents = 64;
    const std::uint64_t before = bytes_read_;
    std::size_t left = std::max(budget.lane_bytes / sizeof(Message), kMinEvents);
    for (; left > 0 && !events_.at_end(); --left, events_.advance()) stage(events_.event());
    bytes_read_ = events_.bytes_read();
    stats_.add_read(bytes_read_ - before, 0);
    return !events_.at_end();
  }
  void deliver() final {
    for (Queue* const queue : filled_) queue->deliver();
    filled_.clear();
  }
  std::uint64_t watermark_ns() const final { return events_.at_end() ? kForever : events_.event().order_ns; }
  std::size_t waiting_bytes() const final {
    std::size_t sum = 0;
    for (const auto& [thread, queue] : queues_) sum += queue.waiting_bytes();
    return sum;
  }

 protected:
  using Event = std::remove_cvref_t<decltype(std::declval<Cursor>().event())>;

  // Borrows the queues and stats until the timeline has run.
  CpuFileSource(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading,
                QueuesByThread<Queue>& queues, ImportStats& stats)
      : events_(files, reading), queues_(queues), stats_(stats) {
    stats_.bytes_total += events_.size();
  }

  virtual void stage(const Event& event) = 0;  // the current one of events()
  CpuMerge<Cursor>& events() { return events_; }
  // Null if the thread has no queue.
  Queue* find_queue(ThreadId thread) {
    const auto found = queues_.find(thread);
    return found == queues_.end() ? nullptr : &found->second;
  }
  void put(Queue& queue, const Message& message) {
    if (!queue.has_staged()) filled_.push_back(&queue);
    queue.stage(message);
  }

 private:
  CpuMerge<Cursor> events_;
  QueuesByThread<Queue>& queues_;
  std::vector<Queue*> filled_;  // those with staged messages
  ImportStats& stats_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace convert::uftrace
