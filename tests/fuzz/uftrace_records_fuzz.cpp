// Reads any bytes as the record files of a parent and its forked child. The target must not crash or hang.
// The trace must follow the rules of all readers, and its calls must be balanced.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "tests/fuzz/uftrace_convert.h"

namespace {

using namespace convert::uftrace;

const std::filesystem::path& recording() {
  static const std::filesystem::path path = [] {
    const std::filesystem::path directory = fuzz_directory();
    write_file(directory / "task.txt",
               "SESS timestamp=0.000000001 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000002 tid=100 pid=100\n"
               "FORK timestamp=0.000000100 pid=101 ppid=100\n"
               "DLOP timestamp=0.000000150 tid=100 sid=0123456789abcdef base=700000 libname=\"plug.so\"\n"
               "SESS timestamp=0.000000200 pid=100 sid=0123456789abcdee exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000210 tid=100 pid=100\n");
    for (const char* sid : {"0123456789abcdef", "0123456789abcdee"})
      write_file(directory / fmt::format("sid-{}.map", sid),
                 "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n");
    write_file(directory / "demo.sym",
               "0000000000001000 00000100 T main\n0000000000001300 00000100 T _setjmp\n");
    return directory;
  }();
  return path;
}

}  // namespace

// If the first byte is N, N/256 of the other bytes are the child's file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t kParts = 256;
  const std::size_t split = bytes.size() * data[0] / kParts;
  write_file(recording() / "100.dat", bytes.substr(split));
  write_file(recording() / "101.dat", bytes.substr(0, split));
  convert_and_check(recording());
  return 0;
}
