// A library for LD_PRELOAD, for recordings that are larger than any disk. If a program reads a sparse file
// that occupies no disk block, it gets records of uftrace instead of zeros. The same 8 records, with 4 nested
// calls, are repeated with later times. LONG_FIRST_NS in the environment is the first time. With
// LONG_ARGUMENTS, each call has an argument of 8 bytes: the number of its record.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/types.h>

namespace {

constexpr std::uint64_t kStepNs = 9, kFunction = 0x401000, kFunctionBytes = 0x40, kMagic = 5,
                        kHasArguments = 4;
const std::uint64_t first_ns = std::strtoull(std::getenv("LONG_FIRST_NS"), nullptr, 10);
const bool has_arguments = std::getenv("LONG_ARGUMENTS") != nullptr;

struct Step {
  std::uint64_t kind, depth;  // 0: entry, 1: exit
};
constexpr std::array<Step, 8> kSteps{{{0, 0}, {0, 1}, {1, 1}, {0, 1}, {0, 2}, {1, 2}, {1, 1}, {1, 0}}};
constexpr std::size_t kPlainWords = 2 * kSteps.size(), kCalls = kSteps.size() / 2;
const std::size_t group_words = kPlainWords + (has_arguments ? kCalls : 0);

using Group = std::array<std::uint64_t, kPlainWords + kCalls>;

Group group(std::uint64_t number) {
  Group words{};
  std::size_t size = 0;
  std::uint64_t record = number * kSteps.size();
  for (const auto& [kind, depth] : kSteps) {
    const bool has_argument = has_arguments && kind == 0;
    words[size++] = first_ns + record * kStepNs;
    words[size++] = (kFunction + depth * kFunctionBytes) << 16 | depth << 6 | kMagic << 3 |
                    (has_argument ? kHasArguments : 0) | kind;
    if (has_argument) words[size++] = record;
    ++record;
  }
  return words;
}

using Read = ssize_t (*)(int, void*, std::size_t, off64_t);

ssize_t read_at(Read real, int file, void* room, std::size_t size, off64_t at) {
  struct stat64 status {};
  if (::fstat64(file, &status) != 0 || status.st_blocks != 0 || !S_ISREG(status.st_mode))
    return real(file, room, size, at);
  size = std::min(size, static_cast<std::size_t>(std::max<off64_t>(status.st_size - at, 0)));
  auto* to = static_cast<unsigned char*>(room);
  const std::uint64_t group_bytes = group_words * sizeof(std::uint64_t);
  for (std::size_t done = 0; done < size;) {
    const Group words = group((static_cast<std::uint64_t>(at) + done) / group_bytes);
    const std::size_t from = (static_cast<std::uint64_t>(at) + done) % group_bytes;
    const std::size_t part = std::min<std::size_t>(group_bytes - from, size - done);
    std::memcpy(to + done, reinterpret_cast<const unsigned char*>(words.data()) + from, part);
    done += part;
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

extern "C" ssize_t pread(int file, void* room, std::size_t size, off_t at) {
  static auto* const real = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "pread"));
  return read_at(real, file, room, size, at);
}
extern "C" ssize_t pread64(int file, void* room, std::size_t size, off64_t at) {
  static auto* const real = reinterpret_cast<Read>(::dlsym(RTLD_NEXT, "pread64"));
  return read_at(real, file, room, size, at);
}
