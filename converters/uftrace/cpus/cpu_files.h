// Reads the files perf-cpu<N>.dat and kernel-cpu<N>.dat, which have the events of CPU N. CpuMerge merges all
// files of one kind. CpuFileSource passes the events of these files to the threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lanes/event.h"
#include "converters/model/merging/source.h"
#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/stored_bytes.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/hash.h"

namespace convert::uftrace {

// The base class of PerfCursor and KernelCursor, which add next() and event(). next() returns false at the
// end of the file. The `order_ns` of events never decreases.
class CpuFileCursor {
 public:
  std::uint16_t cpu() const { return cpu_; }               // limited to the maximum of FXT
  std::uint64_t offset() const { return file_.offset(); }  // number of bytes already read
  std::uint64_t size() const { return file_.size(); }

 protected:
  // `notes` may be null. Throws InputError if the file can't be opened, or consists mostly of holes.
  CpuFileCursor(const CpuFile& file, Notes* notes, std::size_t block_bytes)
      : file_(file.place, FileWindow::EarlyEnd::Error, file.keep_open, block_bytes),
        cpu_(static_cast<std::uint16_t>(
            std::min<std::uint32_t>(file.cpu, std::numeric_limits<std::uint16_t>::max()))),
        notes_(notes) {
    if (size() > kWithHoles.of(0)) check_holes(InputFile(file.place), size());
  }

  // Returns the result of `read`. If the file can't be read, adds a note and returns false, as at the end of
  // the file.
  template <typename Read>
  bool read_or_end(Read&& read) {
    try {
      return std::forward<Read>(read)();
    } catch (const InputError& unreadable) {
      note(kUnreadableFile, 1, [&] { return std::string(unreadable.what()); });
      file_.skip_to_end();
      return false;
    }
  }
  template <typename Describe>
  void note(const NoteKind& kind, std::uint64_t count, Describe&& describe) {
    if (notes_ != nullptr) notes_->add(kind, std::forward<Describe>(describe), count);
  }
  static bool is_zero(std::span<const std::byte> bytes) {
    return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
  }

  FileWindow file_;

 private:
  std::uint16_t cpu_;
  Notes* notes_;
};

// Merges all files of one kind, sorted by time and then by CPU. A Cursor is constructed from a CpuFile, a
// Cursor::Reading and the size of blocks.
template <typename Cursor>
class CpuMerge {
 public:
  // Files that can't be opened are left out with a note. `block_bytes` is divided among the blocks of all
  // files. A block has at least kMinBlock bytes, or `block_bytes` if this is less.
  CpuMerge(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading,
           std::size_t block_bytes = Cursor::kBlockBytes);

  bool at_end() const { return heap_.empty(); }
  // Return the current event and its CPU. at_end() must be false. The event is valid until advance().
  const auto& event() const { return cursors_[heap_.front().cursor]->event(); }
  std::uint16_t cpu() const { return cursors_[heap_.front().cursor]->cpu(); }
  std::size_t file_index() const { return heap_.front().cursor; }
  void advance();

  std::uint64_t size() const { return sum(&Cursor::size); }  // size of all files in bytes
  std::uint64_t bytes_read() const { return sum(&Cursor::offset); }

 private:
  struct NextEvent {
    std::uint64_t time_ns;
    std::size_t cursor;
    friend auto operator<=>(const NextEvent&, const NextEvent&) = default;
  };
  static constexpr std::size_t kMinBlock = 4096;

  std::uint64_t sum(std::uint64_t (Cursor::*of)() const) const {
    return std::transform_reduce(cursors_.begin(), cursors_.end(), std::uint64_t{0}, std::plus{},
                                 [of](const auto& cursor) { return ((*cursor).*of)(); });
  }

  std::vector<std::unique_ptr<Cursor>> cursors_;  // sorted by CPU
  std::vector<NextEvent> heap_;                   // a heap; the earliest event is in front
};

template <typename Cursor>
CpuMerge<Cursor>::CpuMerge(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading,
                           std::size_t block_bytes) {
  for (const CpuFile& file : files) {
    try {
      cursors_.push_back(std::make_unique<Cursor>(
          file, reading, std::max(block_bytes / files.size(), std::min(block_bytes, kMinBlock))));
    } catch (const InputError& unreadable) {
      if (reading.notes != nullptr)
        reading.notes->add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
      continue;
    }
    if (cursors_.back()->next()) heap_.push_back({cursors_.back()->event().order_ns, cursors_.size() - 1});
  }
  std::ranges::make_heap(heap_, std::greater{});
}

template <typename Cursor>
void CpuMerge<Cursor>::advance() {
  Cursor& front = *cursors_[heap_.front().cursor];
  if (!front.next()) {
    std::ranges::pop_heap(heap_, std::greater{});
    heap_.pop_back();
    return;
  }
  // Moves the new event from the front down to its position in the heap. Often, the position is the front.
  // Moving the event is faster than pop_heap() and push_heap().
  const NextEvent next{front.event().order_ns, heap_.front().cursor};
  std::size_t at = 0;
  for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (next < heap_[child]) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = next;
}

// A queue of messages for one thread. A message waits until the thread's records have reached its time.
// During a round, the source of the files stages messages, while the source of the thread takes messages that
// were delivered earlier. Between two rounds, the staged messages are delivered.
template <typename Message>
class MessageQueue {
 public:
  bool has_staged() const { return !staged_.empty(); }
  void stage(const Message& message) { staged_.push_back(message); }  // in the order of time
  void deliver() {
    if (first_ >= messages_.size() - first_) {  // erase() then moves no more messages than it removes
      messages_.erase(messages_.begin(), messages_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    if (messages_.empty())
      messages_.swap(staged_);
    else
      messages_.insert(messages_.end(), staged_.begin(), staged_.end());
    staged_.clear();
  }

  // Returns the first delivered message that was not taken; null if there is none.
  const Message* first() const { return first_ == messages_.size() ? nullptr : &messages_[first_]; }
  void pop_front(std::size_t count = 1) { first_ += count; }
  void drop_staged() { staged_.clear(); }
  std::size_t waiting_bytes() const { return (messages_.size() - first_) * sizeof(Message); }

 private:
  std::vector<Message> messages_, staged_;
  std::size_t first_ = 0;  // index of the first message that was not taken
};

// The queues of all threads that get messages. Messages for other threads are dropped.
template <typename Queue>
using QueuesByThread = fxt::SeededMap<ThreadId, Queue>;

// A source that reads all files of one kind. One thread of the converter is fast enough to read the events of
// all CPUs. A derived class converts events to messages for the recorded threads.
template <typename Cursor, typename Message, typename Queue = MessageQueue<Message>>
class CpuFileSource : public SharedSource {
 public:
  bool pump(const PumpBudget& budget) final {
    constexpr std::size_t kMinEvents = 64;
    const std::uint64_t before = bytes_read_;
    // Each round takes some time for every thread that has a queue. Therefore, a round stages at least as
    // many events as there are queues.
    std::size_t left = std::max({budget.bytes / sizeof(Message), kMinEvents, queues_.size()});
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

  // `queues` and `stats` must stay valid until Timeline::run() returns.
  CpuFileSource(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading,
                QueuesByThread<Queue>& queues, ImportStats& stats)
      : events_(files, reading), queues_(queues), stats_(stats) {
    stats_.bytes_total += events_.size();
  }

  virtual void stage(const Event& event) = 0;
  CpuMerge<Cursor>& events() { return events_; }
  QueuesByThread<Queue>& queues() { return queues_; }
  // Null if the thread has no queue.
  Queue* find_queue(ThreadId thread) {
    const auto found = queues_.find(thread);
    return found == queues_.end() ? nullptr : &found->second;
  }
  void put(Queue& queue, const Message& message) {
    if (!queue.has_staged()) filled_.push_back(&queue);
    queue.stage(message);
  }
  // Reads all files without delivering messages. For each event, calls `see(queue, time)` for each queue that
  // would get a message.
  template <typename See>
  void read_all(See&& see) {
    for (; !events_.at_end(); events_.advance()) {
      stage(events_.event());
      for (Queue* const queue : filled_) {
        see(*queue, events_.event().order_ns);
        queue->drop_staged();
      }
      filled_.clear();
    }
  }

 private:
  CpuMerge<Cursor> events_;
  QueuesByThread<Queue>& queues_;
  std::vector<Queue*> filled_;  // queues with staged messages
  ImportStats& stats_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace convert::uftrace
