// Makes large GDB trace files to measure with.
//   make_tfile registers FRAMES FILE     frames with a register block and a time stamp (2437 bytes each)
//   make_tfile small FRAMES FILE         frames with one number and a time stamp (38 bytes each)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/number_bytes.h"

namespace {

using convert::number_bytes;

constexpr std::size_t kRegisterBytes = 0x970;  // amd64 with AVX-512
constexpr std::size_t kRip = 128, kRsp = 56;
constexpr std::uint64_t kTick = 0x401202;

std::string hex_of(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

std::string description(bool has_registers, std::uint64_t frames) {
  std::string text = "\x7fTRACE0\n";
  text +=
      fmt::format("R {:x}\nstatus 0;tstop::0;tframes:{:x};tcreated:{:x}\n", kRegisterBytes, frames, frames);
  text += "tsv 1:0:1:" + hex_of("trace_timestamp") + "\n";
  text += fmt::format("tp T2:{:x}:E:0:0\n", kTick);
  text += fmt::format("tp A2:{:x}:{}\n", kTick, has_registers ? "R0fffffff" : "M-1,404040,8");
  text += fmt::format("tp A2:{:x}:X00000008,2c00012e00012927\n", kTick);
  const auto source = [&](std::string_view type, std::string_view words) {
    text += fmt::format("tp Z2:{:x}:{}:0:{:x}:{}\n", kTick, type, words.size(), hex_of(words));
  };
  source("at", "tick");
  source("cmd", has_registers ? "collect $regs" : "collect g_hash");
  source("cmd", "collect $trace_timestamp");
  return text + "\n";
}

std::string stamp(std::uint64_t frame) {
  constexpr std::int64_t kFirstUs = 2'609'528'678, kEveryUs = 90;
  return "V" + number_bytes(std::uint32_t{1}) +
         number_bytes(kFirstUs + kEveryUs * static_cast<std::int64_t>(frame));
}

std::string register_block(std::uint64_t frame) {
  std::string block(kRegisterBytes, '\0');
  const std::uint64_t stack = 0x7fff'ffff'e000;
  std::memcpy(block.data(), &frame, sizeof frame);
  std::memcpy(block.data() + kRip, &kTick, sizeof kTick);
  std::memcpy(block.data() + kRsp, &stack, sizeof stack);
  return "R" + block;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view kind = argc == 4 ? argv[1] : "";
  if (kind != "registers" && kind != "small") {
    fmt::print(stderr, "usage: make_tfile registers|small FRAMES FILE\n");
    return 2;
  }
  const std::uint64_t frames = std::strtoull(argv[2], nullptr, 10);
  std::ofstream file(argv[3], std::ios::binary);
  file << description(kind == "registers", frames);
  for (std::uint64_t i = 0; i < frames; ++i) {
    std::string blocks = kind == "registers" ? register_block(i)
                                             : "M" + number_bytes(std::uint64_t{0x404040}) +
                                                   number_bytes(std::uint16_t{8}) + number_bytes(i * i);
    blocks += stamp(i);
    file << number_bytes(std::int16_t{2}) << number_bytes(static_cast<std::uint32_t>(blocks.size()))
         << blocks;
  }
  file << std::string(4, '\0');
  file.flush();
  if (!file) fmt::print(stderr, "make_tfile: {} can't be written\n", argv[3]);
  return file ? 0 : 1;
}
