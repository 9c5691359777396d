#include "converters/uftrace/perf/perf_merge.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "converters/uftrace/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kMinBlock = 4096;
// More files than this are opened anew for each block, to stay below the usual limit of 1024 open files.
constexpr std::size_t kMaxOpenFiles = 256;

}  // namespace

PerfMerge::PerfMerge(const std::vector<CpuFile>& files, const PerfReading& reading) {
  PerfReading each = reading;
  if (!files.empty())
    each.block_bytes = std::max(reading.block_bytes / files.size(), std::min(reading.block_bytes, kMinBlock));
  each.keep_open = files.size() <= kMaxOpenFiles;
  for (const CpuFile& file : files) {
    try {
      cursors_.push_back(std::make_unique<PerfCursor>(file, each));
    } catch (const InputError& unreadable) {
      if (reading.notes != nullptr)
        reading.notes->add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
      continue;
    }
    if (cursors_.back()->next()) turns_.push_back({cursors_.back()->event().order_ns, cursors_.size() - 1});
  }
  std::ranges::make_heap(turns_, std::greater{});
}

void PerfMerge::advance() {
  std::ranges::pop_heap(turns_, std::greater{});
  PerfCursor& cursor = *cursors_[turns_.back().cursor];
  if (cursor.next()) {
    turns_.back().time_ns = cursor.event().order_ns;
    std::ranges::push_heap(turns_, std::greater{});
  } else {
    turns_.pop_back();
  }
}

std::uint64_t PerfMerge::size() const {
  return std::transform_reduce(cursors_.begin(), cursors_.end(), std::uint64_t{0}, std::plus{},
                               [](const auto& cursor) { return cursor->size(); });
}

std::uint64_t PerfMerge::bytes_read() const {
  return std::transform_reduce(cursors_.begin(), cursors_.end(), std::uint64_t{0}, std::plus{},
                               [](const auto& cursor) { return cursor->offset(); });
}

}  // namespace convert::uftrace
