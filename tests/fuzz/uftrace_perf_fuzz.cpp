// Reads any bytes as the perf files of two CPUs of a recording. If the first byte is N, N/256 of the other
// bytes are perf-cpu1.dat. The lowest bit of N is also the byte order, and the highest bit is also the option
// cpu_tracks.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "tests/fuzz/uftrace_convert.h"
#include "tests/number_bytes.h"

namespace {

using namespace convert::uftrace;

constexpr std::size_t kParts = 256;

template <typename T>
void put(std::string& text, T value, bool is_big) {
  text += convert::number_bytes(value, is_big ? std::endian::big : std::endian::little);
}

// The start and the threads of tests/uftrace/recordings/sched. The perf file of this recording is a seed.
constexpr std::uint64_t kStartNs = 1'322'367'000'000;
constexpr unsigned kThreads[] = {28746, 28748, 28749, 28750};

std::string info(bool is_big) {
  std::string text("Ftrace!\0", 8);
  put(text, std::uint32_t{4}, is_big);
  put(text, std::uint16_t{40}, is_big);
  text += {is_big ? '\2' : '\1', '\2'};
  put(text, std::uint64_t{is_big ? 0x863U : 0x63U}, is_big);  // the big-endian recording has estimated exits
  put(text, std::uint64_t{0}, is_big);
  return text + std::string(8, '\0');
}

std::string records(unsigned thread, bool is_big) {
  std::string text;
  const auto record = [&](std::uint64_t time_ns, std::uint64_t word) {
    put(text, time_ns, is_big);
    put(text, word, is_big);
  };
  constexpr std::uint64_t kAddress = 0x4010'0000'0000;  // bits 16 to 63 are the address, here 0x401000
  record(kStartNs + thread, kAddress + 0x28);
  for (std::uint64_t i = 1; i < 40; ++i) {
    record(kStartNs + i * 1'000'000 + thread, kAddress + 0x68);
    record(kStartNs + i * 1'000'000 + thread + 400'000, kAddress + 0x69);
  }
  return text;
}

const std::filesystem::path& recording(bool is_big) {
  static const auto make = [](bool big) {
    const auto directory = fuzz_directory();
    write_file(directory / "info", info(big));
    std::string tasks =
        "SESS timestamp=1322.365000000 pid=28746 sid=0123456789abcdef exename=\"/bin/demo\"\n";
    for (const unsigned thread : kThreads) {
      tasks += fmt::format("TASK timestamp=1322.366000000 tid={} pid=28746\n", thread);
      write_file(directory / fmt::format("{}.dat", thread), records(thread, big));
    }
    write_file(directory / "task.txt", tasks + "TASK timestamp=1322.366000000 tid=28751 pid=28746\n");
    write_file(directory / "sid-0123456789abcdef.map", "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n");
    return directory;
  };
  static const std::filesystem::path little = make(false), big = make(true);
  return is_big ? big : little;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::filesystem::path& directory = recording(data[0] % 2 != 0);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t split = bytes.size() * data[0] / kParts / 8 * 8;
  write_file(directory / "perf-cpu0.dat", bytes.substr(split));
  write_file(directory / "perf-cpu1.dat", bytes.substr(0, split));
  convert_and_check(directory, {.cpu_tracks = data[0] >= 0x80});
  return 0;
}
