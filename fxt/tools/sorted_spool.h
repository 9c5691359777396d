// Sorts values, which may be added in any order. If there are many values, most of them are in a temporary
// file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "fxt/reading/temporary_file.h"

namespace fxt::tools {

// T is copied as bytes, and compared with `<`.
template <typename T>
class SortedSpool {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit SortedSpool(std::size_t kept = std::size_t{1} << 18) : kept_(kept) {}

  // The functions throw std::system_error if the temporary file fails.
  void add(const T& value) {
    if (latest_.size() == kept_) spill();
    latest_.push_back(value);
  }
  // Must be called after the last add(). Can be called again, to read all values again.
  void rewind() {
    if (!runs_.empty() && !latest_.empty()) spill();
    std::ranges::sort(latest_, std::less<>());
    next_ = 0;
    for (Run& run : runs_) {
      run.at = run.begin;
      run.next = run.block.size();
      fill(run);
    }
    std::ranges::make_heap(runs_, is_later);
  }
  // The next value; null after the last one.
  const T* front() const {
    if (runs_.empty()) return next_ == latest_.size() ? nullptr : &latest_[next_];
    return runs_.front().next == runs_.front().block.size() ? nullptr
                                                            : &runs_.front().block[runs_.front().next];
  }
  void pop() {
    if (runs_.empty()) {
      ++next_;
      return;
    }
    std::ranges::pop_heap(runs_, is_later);
    if (++runs_.back().next == runs_.back().block.size()) fill(runs_.back());
    std::ranges::push_heap(runs_, is_later);
  }

 private:
  static constexpr std::size_t kBlock = 1024;

  // Sorted values in the file. They are read in blocks.
  struct Run {
    std::uint64_t begin, end;  // in bytes
    std::uint64_t at = 0;      // position of the next block
    std::vector<T> block = {};
    std::size_t next = 0;
  };

  // Orders a heap of runs. The run with the next value comes first, and finished runs come last.
  static bool is_later(const Run& a, const Run& b) {
    if (b.next == b.block.size()) return false;
    return a.next == a.block.size() || b.block[b.next] < a.block[a.next];
  }
  void spill() {
    std::ranges::sort(latest_, std::less<>());
    const std::uint64_t begin = file_.size();
    file_.append(std::as_bytes(std::span(latest_)));
    runs_.push_back({.begin = begin, .end = file_.size()});
    latest_.clear();
  }
  void fill(Run& run) {
    run.block.resize(std::min<std::size_t>(kBlock, (run.end - run.at) / sizeof(T)));
    run.next = 0;
    file_.read(run.at, std::as_writable_bytes(std::span(run.block)));
    run.at += run.block.size() * sizeof(T);
  }

  std::size_t kept_;
  std::vector<T> latest_;
  std::size_t next_ = 0;  // index of the next value in latest_; unused if there are runs
  std::vector<Run> runs_;
  TemporaryFile file_;
};

}  // namespace fxt::tools
