#include "fxt/perfetto.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

#include "fxt/checking/packet_stream.h"

namespace fxt {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[std::to_integer<unsigned>(byte) / 16];
    text += kDigits[std::to_integer<unsigned>(byte) % 16];
  }
  return text;
}

template <typename Add>
std::string packet(Add add) {
  PerfettoPackets packets;
  add(packets);
  PacketStream stream;
  EXPECT_TRUE(stream.add(packets.bytes()) && stream.is_whole());
  return hex(packets.bytes());
}

TEST(PerfettoPackets, NumbersAreVarints) {
  // packet (field 1) of 8 bytes: field 8 = 300 (ac 02), field 69 (tag aa 04) of 2 bytes: field 2 = 1
  EXPECT_EQ(packet([](auto& packets) { packets.first_view_begins(300); }),
            "0a08"
            "40ac02"
            "aa04021001");
  EXPECT_EQ(packet([](auto& packets) { packets.first_view_ends(127); }),
            "0a07"
            "407f"
            "aa04022801");
  EXPECT_EQ(packet([](auto& packets) { packets.first_view_ends(~std::uint64_t{0}); }),
            "0a10"
            "40ffffffffffffffffff01"
            "aa04022801");
}

TEST(PerfettoPackets, TheWallClockIsASnapshotOfTwoClocks) {
  // field 6: clock { 1: boottime (6), 2: 5 }, clock { 1: realtime (1), 2: 7 }
  EXPECT_EQ(packet([](auto& packets) { packets.wall_clock(5, 7); }),
            "0a0e"
            "320c"
            "0a0408061005"
            "0a0408011007");
}

TEST(PerfettoPackets, SystemAndSession) {
  // field 45 (tag ea 02): utsname { 1: "L", 3: "6", 4: "m" }; field 33 (tag 8a 02): field 22 (tag b2 01): "a"
  EXPECT_EQ(packet([](auto& packets) { packets.system("L", "6", "m"); }),
            "0a0e"
            "ea020b"
            "0a09"
            "0a014c"
            "1a0136"
            "22016d");
  EXPECT_EQ(packet([](auto& packets) { packets.session("a"); }),
            "0a07"
            "8a0204"
            "b2010161");
}

TEST(PerfettoPackets, TracksHaveUniqueIds) {
  // field 10 (sequence) = 1, field 60 (tag e2 03): { 1: 0, 19: 1, 20: 1 },
  // then { 1: 1, 3: process, 12: rank } …
  EXPECT_EQ(packet([](auto& packets) {
              packets.order_by_rank();
              packets.rank_process(9, "p", 1);
              packets.rank_thread(9, 10, 2);
            }),
            "0a0d"
            "5001"
            "e20308"
            "0800"
            "980101"
            "a00101"
            "0a10"
            "5001"
            "e2030b"
            "0801"
            "1a05"
            "0809"
            "320170"
            "6001"
            "0a0f"
            "5001"
            "e2030a"
            "0802"
            "2204"
            "0809"
            "100a"
            "6002");
}

TEST(PerfettoPackets, ProcessesHaveAParentAndACommandLine) {
  const std::vector<PerfettoProcess> processes{{.process = 9, .parent = 8, .command_line = {"a", "b"}},
                                               {.process = 10}};
  EXPECT_EQ(packet([&](auto& packets) { packets.processes(processes); }),
            "0a12"
            "1210"
            "0a0a"
            "0809"
            "1008"
            "1a0161"
            "1a0162"
            "0a02"
            "080a");
}

}  // namespace
}  // namespace fxt
