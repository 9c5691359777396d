// Reads any bytes as the program of a trace file (--program): functions, source lines, types and locations of
// variables. Each program is used twice: once without its load address, which is then searched for, and once
// with it. The coverage does not include libdw, which reads DWARF.
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "tests/fuzz/tfile_convert.h"
#include "tests/number_bytes.h"
#include "tests/symbols/memory_file.h"

namespace {

using convert::number_bytes;

// There is a tracepoint every kCodeStep bytes. The functions of the seed programs are at these addresses.
constexpr std::uint64_t kCode = 0x400200, kCodeEnd = 0x400360, kCodeStep = 0x20;
constexpr std::uint64_t kData = 0x401000, kStack = 0x7ffd0000;
constexpr std::size_t kDataBytes = 0x800, kStackBytes = 0x200;
constexpr std::size_t kRegisters = 17;  // rax … r15, rip

std::string hex(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

std::string description() {
  std::string text(
      "\x7fTRACE0\nR 88\ntdesc <target><architecture>i386:x86-64</architecture><feature "
      "name=\"org.gnu.gdb.i386.core\">");
  for (const char* name : {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11",
                           "r12", "r13", "r14", "r15", "rip"})
    text += fmt::format("<reg name=\"{}\" bitsize=\"64\"/>", name);
  text += "</feature></target>\ntsv 1:0:1:" + hex("trace_timestamp") + "\n";
  std::size_t number = 1;
  for (std::uint64_t at = kCode; at < kCodeEnd; at += kCodeStep, ++number) {
    text += fmt::format("tp T{0:x}:{1:x}:E:0:0\ntp A{0:x}:{1:x}:RFFFFFF\ntp A{0:x}:{1:x}:M-1,{2:x},{3:x}\n",
                        number, at, kData, kDataBytes);
    const auto source = [&](std::string_view kind, std::string_view of) {
      text += fmt::format("tp Z{:x}:{:x}:{}:0:{:x}:{}\n", number, at, kind, of.size(), hex(of));
    };
    source("at", number % 2 == 0 ? "walk" : "s.c:9");
    for (const char* items :
         {"$regs", "$args", "$locals",
          "counter, *p, p->next->y, ns::box.all[1]@2, box, origin.c, n + 1, calls",
          "/s text, (char)name[1], *row, ref.id, by, twice::both, array[0]@3, sizeof(ns::Point), &origin"})
      source("cmd", fmt::format("collect{}{}", *items == '/' ? "" : " ", items));
  }
  return text + "\n";
}

std::string frames() {
  std::string data, stack;
  for (std::size_t at = 0; at < kDataBytes; at += 8) data += number_bytes(kData + kDataBytes / 2 + at / 4);
  for (std::size_t at = 0; at < kStackBytes; at += 8) stack += number_bytes(kData + at);
  std::string text;
  std::int16_t number = 1;
  for (std::uint64_t at = kCode; at < kCodeEnd; at += kCodeStep, ++number) {
    std::string blocks = "R";
    for (std::size_t i = 0; i + 1 < kRegisters; ++i)
      blocks += number_bytes(i == 6 || i == 7 ? kStack + kStackBytes / 2 : kData + 0x100 + i * 8);
    blocks += number_bytes(at);
    for (const auto& [address, bytes] : {std::pair{kData, data}, std::pair{kStack, stack}})
      blocks += "M" + number_bytes(address) + number_bytes(static_cast<std::uint16_t>(bytes.size())) + bytes;
    blocks += "V" + number_bytes(std::uint32_t{1}) + number_bytes(std::uint64_t{at});
    text += number_bytes(number) + number_bytes(static_cast<std::uint32_t>(blocks.size())) + blocks;
  }
  return text + std::string(4, '\0');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const convert::MemoryFile program;
  static const std::string trace = description() + frames();
  program.write({reinterpret_cast<const char*>(data), size});
  convert::tfile::TraceFileOptions options{.programs = {program.path()}};
  convert::convert_trace(trace, options);
  options.load_biases = {{}};
  convert::convert_trace(trace, options);
  return 0;
}
