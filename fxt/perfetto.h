// SPDX-License-Identifier: Apache-2.0
// Packets in Perfetto's own format, for a Blob of type Perfetto. They set the first view, the order of
// tracks, and the details of processes. Other readers of FXT skip such a blob.
//
// The format is a protobuf, https://perfetto.dev/docs/reference/trace-packet-proto: a message is a list of
// fields; a field is its tag (number * 8 + wire type) and its value. Wire type 0 is a varint: 7 bits in a
// byte, the lowest first, bit 7 set in all bytes but the last. Wire type 2 is a size as varint, followed by
// that many bytes: a text or a message. A trace is a message in which each field 1 is a packet.
//
//   fxt::PerfettoPackets packets;
//   packets.first_view_begins(first_call_ns);
//   writer.write(fxt::Blob{.name = "perfetto", .type = fxt::BlobType::Perfetto, .bytes = packets.bytes()});
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// A message under construction.
class PerfettoMessage {
 public:
  PerfettoMessage& number(unsigned field, std::uint64_t value) {
    varint(std::uint64_t{field} * 8);
    varint(value);
    return *this;
  }
  PerfettoMessage& text(unsigned field, std::string_view bytes) {
    varint(std::uint64_t{field} * 8 + 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  PerfettoMessage& message(unsigned field, const PerfettoMessage& inner) { return text(field, inner.bytes_); }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value /= 0x80) bytes_ += static_cast<char>(value % 0x80 + 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

struct PerfettoProcess {
  std::uint64_t process;
  std::uint64_t parent = 0;  // 0 if unknown
  std::vector<std::string> command_line = {};
};

// Times are in ns. Texts must be UTF-8. In the comments below, a word in parentheses is the field of
// Perfetto's TracePacket that a function sets.
class PerfettoPackets {
 public:
  // The start of the first view. Users can scroll to the rest of the trace (service_event).
  void first_view_begins(std::uint64_t time_ns) { service_event(time_ns, 2); }
  void first_view_ends(std::uint64_t time_ns) { service_event(time_ns, 5); }
  // `time_ns` in the trace is the same time as `utc_ns`, which counts from 1970, UTC (clock_snapshot).
  void wall_clock(std::uint64_t time_ns, std::uint64_t utc_ns) {
    constexpr unsigned kRealtime = 1, kBoottime = 6;  // Perfetto treats the times of the trace as boottime
    packet(6, PerfettoMessage()
                  .message(1, PerfettoMessage().number(1, kBoottime).number(2, time_ns))
                  .message(1, PerfettoMessage().number(1, kRealtime).number(2, utc_ns)));
  }
  // Name, release and machine of the system, as uname -s, -r and -m print them (system_info). Perfetto knows
  // the machines aarch64, armv7l, armv8l, i686 and x86_64, and prints a warning for other machines.
  void system(std::string_view name, std::string_view release, std::string_view machine) {
    packet(45,
           PerfettoMessage().message(1, PerfettoMessage().text(1, name).text(3, release).text(4, machine)));
  }
  // The name of the whole trace (trace_config).
  void session(std::string_view name) { packet(33, PerfettoMessage().text(22, name)); }

  // Makes Perfetto sort processes and threads by rank (track_descriptor of the root). rank_process() and
  // rank_thread() set the ranks.
  void order_by_rank() { track(PerfettoMessage().number(1, 0).number(19, 1).number(20, 1)); }
  void rank_process(std::uint64_t process, std::string_view name, std::uint64_t rank) {
    const auto inner = PerfettoMessage().number(1, process).text(6, name);
    track(PerfettoMessage().number(1, ++last_track_).message(3, inner).number(12, rank));
  }
  void rank_thread(std::uint64_t process, std::uint64_t thread, std::uint64_t rank) {
    const auto inner = PerfettoMessage().number(1, process).number(2, thread);
    track(PerfettoMessage().number(1, ++last_track_).message(4, inner).number(12, rank));
  }
  // The processes' parents and command lines (process_tree).
  void processes(std::span<const PerfettoProcess> processes) {
    PerfettoMessage tree;
    for (const PerfettoProcess& process : processes) {
      auto inner = PerfettoMessage().number(1, process.process);
      if (process.parent != 0) inner.number(2, process.parent);
      for (const std::string& word : process.command_line) inner.text(3, word);
      tree.message(1, inner);
    }
    packet(2, tree);
  }

  std::span<const std::byte> bytes() const { return trace_.bytes(); }

 private:
  void packet(unsigned field, const PerfettoMessage& inner) {
    trace_.message(1, PerfettoMessage().message(field, inner));
  }
  void service_event(std::uint64_t time_ns, unsigned what) {
    trace_.message(1, PerfettoMessage().number(8, time_ns).message(69, PerfettoMessage().number(what, 1)));
  }
  // Perfetto needs the id of a packet sequence (field 10) beside each descriptor. Each descriptor must have a
  // uuid of its own.
  void track(const PerfettoMessage& descriptor) {
    trace_.message(1, PerfettoMessage().number(10, 1).message(60, descriptor));
  }

  PerfettoMessage trace_;
  std::uint64_t last_track_ = 0;
};

}  // namespace fxt
