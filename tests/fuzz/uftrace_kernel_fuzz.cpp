// Reads any bytes as kernel data of a recording: the pages of a CPU, and then the format of one more event.
// The first byte of the input has parameters. Bit 0 is the byte order. Bits 1 to 4 are a number N from 0 to
// 15: the pages are N/15 of the other bytes. Bits 6 and 7 are the options kernel_skip_out and kernel_only.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "tests/fuzz/uftrace_convert.h"
#include "tests/uftrace/kernel/kernel_bytes.h"
#include "tests/uftrace/perf/perf_bytes.h"

namespace {

using namespace convert::uftrace;

constexpr std::size_t kParts = 16;
constexpr KernelBytes::Layout kLittle{.page_bytes = 128};
constexpr KernelBytes::Layout kBig{.page_bytes = 128, .long_bytes = 4, .order = std::endian::big};

std::string formats() {
  const std::string fields = common_fields(50) + field("int flags", 8, 4) +
                             field("__data_loc char[] name", 12, 4) + field("int next_pid", 16, 4, true);
  const std::string print =
      "\nprint fmt: \"flags=%s name=%s\", __print_flags(REC->flags, \"|\", { 1, \"A\" }, { 2, \"B\" }), "
      "__get_str(name)\n";
  const std::string switched = common_fields(51) + field("int prev_pid", 8, 4, true) +
                               field("long prev_state", 16, 8, true) + field("int next_pid", 24, 4, true) +
                               "\nprint fmt: \"%d\", REC->next_pid\n";
  const std::string woken =
      common_fields(52) + field("int pid", 8, 4, true) + "\nprint fmt: \"%d\", REC->pid\n";
  return block("events/app/one/format", fields + print) +
         block("events/sched/sched_switch/format", switched) +
         block("events/sched/sched_wakeup/format", woken);
}

// A recording with two threads. Only one of them has a record file and context switches.
const std::filesystem::path& recording() {
  static const auto make = [] {
    const auto directory = fuzz_directory();
    std::string records;
    for (std::uint64_t i = 0; i < 20; ++i)
      records += Numbers()
                     .put(1000 + i * 100)
                     .put(std::uint64_t{0x4010'0000'0028})
                     .put(1050 + i * 100)
                     .put(std::uint64_t{0x4010'0000'0029})
                     .text();
    write_file(directory / "100.dat", records);
    write_file(directory / "perf-cpu0.dat", PerfBytes().out(1020, 100).in(1120, 100).out(1500, 100).text());
    write_file(directory / "kallsyms", "1000 T one\n2000 t two\n");
    write_file(directory / "task.txt",
               "SESS timestamp=0.000000900 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000900 tid=100 pid=100\nTASK timestamp=0.000000900 tid=101 pid=100\n");
    write_file(directory / "sid-0123456789abcdef.map", "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n");
    return directory;
  };
  static const std::filesystem::path directory = make();
  return directory;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::filesystem::path& directory = recording();
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t split = bytes.size() * (data[0] / 2 % kParts) / (kParts - 1);
  const std::string header = header_text(data[0] % 2 != 0 ? kBig : kLittle) + formats();
  write_file(directory / "kernel_header", header + block("events/app/two/format", bytes.substr(split)));
  write_file(directory / "kernel-cpu0.dat", bytes.substr(0, split));
  convert_and_check(directory, {.kernel_only = data[0] >= 0x80, .kernel_skip_out = (data[0] & 0x40) != 0});
  return 0;
}
