// Reads any text as a module file of a recording. The first byte selects the kind of file: the map of a
// session, a .sym file, or a .dbg file. The recording has no info file, so the specs of arguments come only
// from the .dbg file.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/fuzz/uftrace_convert.h"
#include "tests/number_bytes.h"

namespace {

using namespace convert::uftrace;

constexpr std::string_view kMap =
    "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n"
    "7f0000000000-7f0000003000 r-xp 00000000 00:00 0 build-id:0123456789abcdef /lib/libx.so\n";
constexpr std::string_view kSymbols =
    "0000000000001000 00000100 T main\n0000000000001100 00000080 T _ZN1a4drawEiPKc\n"
    "0000000000001200 00000040 P read\n0000000000001800 00000008 B count\n";
constexpr std::string_view kDebug =
    "# path name: /bin/demo\nE: enum color {RED,GREEN=5}\n"
    "F: 1000 main\nL: 3 /src/demo.c\nA: @arg1/i32,arg2/p\nR: @retval/i32\n"
    "F: 1100 _ZN1a4drawEiPKc\nL: 9 /src/demo.c\nA: @arg1/e:color,arg2/s,fparg1/64\nR: @retval/s\n";

std::string records() {
  using convert::number_bytes;
  constexpr std::uint64_t kMagic = 5 << 3, kMore = 1 << 2, kDepth = 1 << 6;
  std::string text;
  std::uint64_t time_ns = 1000;
  const auto record = [&](std::uint64_t kind, std::uint64_t depth, std::uint64_t address,
                          const std::string& payload) {
    text += number_bytes(time_ns += 10);
    text += number_bytes(address << 16 | depth * kDepth | kMagic | kind | (payload.empty() ? 0 : kMore)) +
            payload;
  };
  const std::string numbers =
      number_bytes(std::uint32_t{5}) + number_bytes(std::uint32_t{0}) + number_bytes(0x401800ULL);
  const std::string texts = number_bytes(std::uint32_t{1}) + std::string("\3\0abc\0\0\0", 8) +
                            number_bytes(2.5) + std::string(4, '\0');
  for (int i = 0; i < 4; ++i) {
    record(0, 0, 0x401004, numbers);
    record(0, 1, 0x401104, texts);
    record(0, 2, 0x7f0000001004, i % 2 == 0 ? "" : numbers);
    record(1, 2, 0x7f0000001004, "");
    record(1, 1, 0x401104, std::string("\3\0abc\0\0\0", 8));
    record(0, 1, 0x401204, "");
    record(1, 1, 0x401204, "");
    record(1, 0, 0x401004, number_bytes(std::uint64_t{7}));
  }
  return text;
}

const std::filesystem::path& recording() {
  static const std::filesystem::path path = [] {
    const std::filesystem::path directory = fuzz_directory();
    write_file(directory / "task.txt",
               "SESS timestamp=0.000000001 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000002 tid=100 pid=100\n");
    write_file(directory / "100.dat", records());
    return directory;
  }();
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const auto& [kind, name, usual] :
       {std::tuple{'m', "sid-0123456789abcdef.map", kMap}, std::tuple{'s', "demo.sym", kSymbols},
        std::tuple{'d', "demo.dbg", kDebug}})
    write_file(recording() / name, data[0] == kind ? text : usual);
  convert_and_check(recording());
  return 0;
}
