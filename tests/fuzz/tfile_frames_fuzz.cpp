// Reads any bytes as the frames of a trace file whose description has tracepoints of all kinds. The target
// must not crash or hang, and the trace must break no rule of a reader.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/tfile_convert.h"

namespace {

constexpr std::string_view kDescription =
    "\x7fTRACE0\n"
    "R 40\n"
    "status 0;tstop::0;tframes:20;tcreated:30;circular:1;starttime:64;stoptime:ffff\n"
    "tsv 1:0:1:74726163655f74696d657374616d70\n"
    "tsv 2:0:0:68697473\n"
    "tp T2:8000:E:3:0:F5\n"
    "tp A2:8000:R0f\n"
    "tp A2:8000:M-1,404040,8\n"
    "tp A2:8000:M5,fffffffffffffff8,4\n"
    "tp A2:8000:X0000000F,26000522100222b816080222080c27\n"
    "tp A2:8000:X00000014,26000522081a22400d081a2200172000102f27\n"
    "tp A2:8000:X00000008,2c00012e00012927\n"
    "tp S2:8000:R0f\n"
    "tp Z2:8000:at:0:3:666962\n"
    "tp Z2:8000:cmd:0:f:636f6c6c65637420672c202a702c206e\n"
    "tp T3:9000:E:0:0\n"
    "tp T3:9100:E:2:0\n"
    "tp S3:9100:M-1,1000,4\n"
    "\n";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  convert::convert_trace(std::string(kDescription) + std::string(bytes));
  return 0;
}
