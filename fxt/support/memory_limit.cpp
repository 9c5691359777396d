#include "fxt/support/memory_limit.h"

#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <mutex>
#include <unistd.h>
#include <utility>

#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"

namespace fxt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Limit kMemory{"MiB of memory for a compressed file", 112 * kMiB, 16 * kKiB};

struct MemoryLimit {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> allowed;  // bytes by file
  std::uint64_t total = 0;                       // of all files
  std::string packed_file;                       // the latest compressed file
  std::uint64_t packed_bytes = 0;                // that have been read
  std::atomic<std::uint64_t> bytes = 0;          // 0: no limit
  std::atomic<Clock::duration> checked = {};     // time of the latest check

  void allow(const std::string& file, std::uint64_t most) {
    std::uint64_t& known = allowed[file];
    if (most > known) total += most - std::exchange(known, most);
    if (bytes != 0) bytes = total;
  }
};

MemoryLimit& memory() {
  static MemoryLimit limit;
  return limit;
}

// The memory in use, in bytes. Files that are mapped into memory do not count.
std::uint64_t used_bytes() {
  std::uint64_t pages = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident >> shared;
  return (resident - shared) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void limit_memory(const std::string& packed_file, std::uint64_t file_bytes) {
  MemoryLimit& limit = memory();
  const std::lock_guard lock(limit.mutex);
  if (limit.bytes == 0) limit.total += used_bytes();
  limit.allow(packed_file, kMemory.of(file_bytes));
  limit.packed_file = packed_file;
  limit.packed_bytes = file_bytes;
  limit.bytes = limit.total;
}

void allow_memory(const std::string& file, std::uint64_t file_bytes) {
  constexpr std::uint64_t kPerByte = 24;
  MemoryLimit& limit = memory();
  const std::lock_guard lock(limit.mutex);
  limit.allow(file, file_bytes * kPerByte);
}

void check_memory(std::uint64_t more) {
  constexpr std::chrono::milliseconds kPause(1);  // a check takes some 10 us
  MemoryLimit& limit = memory();
  if (limit.bytes == 0) return;
  const auto now = Clock::now().time_since_epoch();
  if (more == 0 && now - limit.checked.load() < kPause) return;
  limit.checked = now;
  if (used_bytes() + more <= limit.bytes) return;
  const std::lock_guard lock(limit.mutex);
  throw FileError(fmt::format("{}: {}; unpack it with another program first", limit.packed_file,
                              kMemory.exceeded(limit.packed_bytes)));
}

}  // namespace fxt
