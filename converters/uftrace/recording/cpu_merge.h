// All files of one kind that hold the events of a cpu each, as one stream: by time, then by cpu.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

// A Cursor is made of a CpuFile and a Cursor::Reading, throws InputError if the file can't be opened, and has
// next(), event() with an `order_ns` that never goes back, cpu(), offset() and size().
template <typename Cursor>
class CpuMerge {
 public:
  // What can't be opened is noted and left out. `reading.block_bytes` are for all files together.
  CpuMerge(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading);

  bool at_end() const { return turns_.empty(); }
  // The event at hand and its cpu; at_end() must be false. Valid until advance().
  const auto& event() const { return cursors_[turns_.front().cursor]->event(); }
  std::uint32_t cpu() const { return cursors_[turns_.front().cursor]->cpu(); }
  // Which of the files it is from: a number below theirs.
  std::size_t source() const { return turns_.front().cursor; }
  void advance();

  std::uint64_t size() const { return sum(&Cursor::size); }          // bytes of all files
  std::uint64_t bytes_read() const { return sum(&Cursor::offset); }  // so far

 private:
  struct Turn {
    std::uint64_t time_ns;
    std::size_t cursor;
    friend auto operator<=>(const Turn&, const Turn&) = default;
  };
  static constexpr std::size_t kMinBlock = 4096;
  // More files than this are opened anew for each block, to stay below the usual limit of 1024 open files.
  static constexpr std::size_t kMaxOpenFiles = 256;

  std::uint64_t sum(std::uint64_t (Cursor::*of)() const) const {
    return std::transform_reduce(cursors_.begin(), cursors_.end(), std::uint64_t{0}, std::plus{},
                                 [of](const auto& cursor) { return ((*cursor).*of)(); });
  }

  std::vector<std::unique_ptr<Cursor>> cursors_;  // by cpu
  std::vector<Turn> turns_;                       // a heap, the earliest first
};

template <typename Cursor>
CpuMerge<Cursor>::CpuMerge(const std::vector<CpuFile>& files, const typename Cursor::Reading& reading) {
  typename Cursor::Reading each = reading;
  if (!files.empty())
    each.block_bytes = std::max(reading.block_bytes / files.size(), std::min(reading.block_bytes, kMinBlock));
  each.keep_open = files.size() <= kMaxOpenFiles;
  for (const CpuFile& file : files) {
    try {
      cursors_.push_back(std::make_unique<Cursor>(file, each));
    } catch (const InputError& unreadable) {
      if (reading.notes != nullptr)
        reading.notes->add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
      continue;
    }
    if (cursors_.back()->next()) turns_.push_back({cursors_.back()->event().order_ns, cursors_.size() - 1});
  }
  std::ranges::make_heap(turns_, std::greater{});
}

template <typename Cursor>
void CpuMerge<Cursor>::advance() {
  Cursor& front = *cursors_[turns_.front().cursor];
  // Mostly a cpu has more to say before another one has its turn.
  if (front.next()) {
    const Turn turn{front.event().order_ns, turns_.front().cursor};
    const bool stays = (turns_.size() < 2 || turn < turns_[1]) && (turns_.size() < 3 || turn < turns_[2]);
    if (stays) {
      turns_.front() = turn;
      return;
    }
    std::ranges::pop_heap(turns_, std::greater{});
    turns_.back() = turn;
    std::ranges::push_heap(turns_, std::greater{});
  } else {
    std::ranges::pop_heap(turns_, std::greater{});
    turns_.pop_back();
  }
}

}  // namespace convert::uftrace
