#include "fxt/support/memory_limit.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <malloc.h>
#include <map>
#include <mutex>
#include <utility>

#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"

namespace fxt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Limit kPlainMemory{"MiB of memory for an input", 224 * kMiB, 24 * kKiB};
// A compressed input can easily fill much memory, and a vector that grows may double the used memory before
// the next check. Therefore, this limit is lower than the limit for other inputs.
constexpr Limit kPackedMemory{"MiB of memory for a compressed input", 112 * kMiB, 16 * kKiB};

struct MemoryLimit {
  std::atomic<bool> is_enforced = false;
  std::mutex mutex;
  std::map<std::string, std::uint64_t> allowed;  // bytes by file
  std::uint64_t total = 0;                       // of all files
  std::string input;                             // the latest input
  Packing packing = Packing::Plain;              // of this input
  std::uint64_t input_bytes = 0;                 // bytes of this input, as passed to limit_memory()
  std::atomic<std::uint64_t> bytes = 0;          // 0: no limit
  std::atomic<Clock::duration> next_check = {};  // time of the next check

  void allow(const std::string& file, std::uint64_t most) {
    std::uint64_t& known = allowed[file];
    if (most > known) total += most - std::exchange(known, most);
    if (bytes != 0) bytes = total;
  }
};

const Limit& limit_of(Packing packing) { return packing == Packing::Packed ? kPackedMemory : kPlainMemory; }

MemoryLimit& memory() {
  static MemoryLimit limit;
  return limit;
}

// The allocated memory, in bytes. With sanitizers and valgrind, which have their own allocators, it is 0.
std::uint64_t used_bytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

}  // namespace

void enforce_memory_limit() { memory().is_enforced = true; }

void limit_memory(const std::string& input, Packing packing, std::uint64_t bytes) {
  MemoryLimit& limit = memory();
  if (!limit.is_enforced) return;
  const std::lock_guard lock(limit.mutex);
  if (limit.bytes == 0) limit.total += used_bytes();
  limit.allow(input, limit_of(packing).of(bytes));
  limit.input = input;
  limit.packing = packing;
  limit.input_bytes = bytes;
  limit.bytes = limit.total;
}

void allow_memory(const std::string& file, std::uint64_t bytes) {
  MemoryLimit& limit = memory();
  if (!limit.is_enforced) return;
  const std::lock_guard lock(limit.mutex);
  limit.allow(file, bytes);
}

void check_memory(std::uint64_t more) {
  constexpr Clock::duration kPause = std::chrono::milliseconds(1);
  constexpr int kShare = 50;  // checks take at most a 50th of the time
  MemoryLimit& limit = memory();
  if (limit.bytes == 0) return;
  const auto now = Clock::now().time_since_epoch();
  if (more == 0 && now < limit.next_check.load()) return;
  const std::uint64_t used = used_bytes();
  const auto end = Clock::now().time_since_epoch();
  limit.next_check = end + std::max(kPause, kShare * (end - now));
  if (used + more <= limit.bytes) return;
  const std::lock_guard lock(limit.mutex);
  throw FileError(
      fmt::format("{}: {}{}", limit.input, limit_of(limit.packing).exceeded(limit.input_bytes),
                  limit.packing == Packing::Packed ? "; unpack it with another program first" : ""));
}

}  // namespace fxt
