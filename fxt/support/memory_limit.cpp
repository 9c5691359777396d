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

// With sanitizers, a program needs several times the memory.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool kIsInstrumented = true;
#else
constexpr bool kIsInstrumented = false;
#endif

constexpr Limit kPlain{"MiB of memory for an input", 224 * kMiB, 24 * kKiB};
// A vector that grows needs twice its memory.
constexpr Limit kPacked{"MiB of memory for a compressed input", 112 * kMiB, 16 * kKiB};

struct MemoryLimit {
  std::atomic<bool> is_enforced = false;
  std::mutex mutex;
  std::map<std::string, std::uint64_t> allowed;  // bytes by file
  std::uint64_t total = 0;                       // of all files
  std::string input;                             // the latest input
  Packing packing = Packing::Plain;              // of this input
  std::uint64_t input_bytes = 0;                 // that have been read of this input
  std::atomic<std::uint64_t> bytes = 0;          // 0: no limit
  std::atomic<Clock::duration> checked = {};     // time of the latest check

  void allow(const std::string& file, std::uint64_t most) {
    std::uint64_t& known = allowed[file];
    if (most > known) total += most - std::exchange(known, most);
    if (bytes != 0) bytes = total;
  }
};

const Limit& limit_of(Packing packing) { return packing == Packing::Packed ? kPacked : kPlain; }

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

void enforce_memory_limit() { memory().is_enforced = !kIsInstrumented; }

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
  constexpr std::chrono::milliseconds kPause(1);  // a check takes some 10 us
  MemoryLimit& limit = memory();
  if (limit.bytes == 0) return;
  const auto now = Clock::now().time_since_epoch();
  if (more == 0 && now - limit.checked.load() < kPause) return;
  limit.checked = now;
  if (used_bytes() + more <= limit.bytes) return;
  const std::lock_guard lock(limit.mutex);
  throw FileError(
      fmt::format("{}: {}{}", limit.input, limit_of(limit.packing).exceeded(limit.input_bytes),
                  limit.packing == Packing::Packed ? "; unpack it with another program first" : ""));
}

}  // namespace fxt
