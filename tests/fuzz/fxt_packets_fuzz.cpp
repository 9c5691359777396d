// Compares PacketStream with a second, simple reader of packets: both must accept the same bytes, in parts
// and as a whole. Also makes packets with any bytes as their content. PacketStream must accept these packets.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fxt/checking/packet_stream.h"
#include "fxt/perfetto.h"

namespace {

using Bytes = std::span<const std::byte>;

// Returns nothing if the bytes end inside the number, or if the number has more than ten bytes.
std::optional<std::uint64_t> varint(Bytes& bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && !bytes.empty(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    value |= byte % 0x80 << 7 * i;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

bool are_fields(Bytes bytes) {
  while (!bytes.empty()) {
    const auto tag = varint(bytes);
    if (!tag || *tag / 8 == 0) return false;
    std::optional<std::uint64_t> size = 0;
    switch (*tag % 8) {
      case 0:
        if (!varint(bytes)) return false;
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = varint(bytes);
        break;
      case 5:
        size = 4;
        break;
      default:
        return false;
    }
    if (!size || *size > bytes.size()) return false;
    bytes = bytes.subspan(*size);
  }
  return true;
}

bool are_packets(Bytes bytes) {
  while (!bytes.empty()) {
    if (bytes.front() != std::byte{0x0a}) return false;
    bytes = bytes.subspan(1);
    const auto size = varint(bytes);
    if (!size || *size > bytes.size() || !are_fields(bytes.first(*size))) return false;
    bytes = bytes.subspan(*size);
  }
  return true;
}

bool takes(Bytes bytes, std::size_t piece) {
  fxt::PacketStream stream;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size())))
    if (!stream.add(bytes.first(std::min(piece, bytes.size())))) return false;
  return stream.is_whole();
}

fxt::PerfettoPackets packets_of(Bytes bytes) {
  fxt::PerfettoPackets packets;
  const auto text = [&] {
    const std::uint64_t wanted = varint(bytes).value_or(0);
    const std::size_t size = std::min<std::uint64_t>(wanted, bytes.size());
    const std::string taken(reinterpret_cast<const char*>(bytes.data()), size);
    bytes = bytes.subspan(size);
    return taken;
  };
  const auto number = [&] { return varint(bytes).value_or(0); };
  while (!bytes.empty()) switch (number() % 7) {
      case 0:
        packets.first_view_begins(number());
        break;
      case 1:
        packets.wall_clock(number(), number());
        break;
      case 2:
        packets.system(text(), text(), text());
        break;
      case 3:
        packets.session(text());
        break;
      case 4:
        packets.rank_process(number(), text(), number());
        break;
      case 5:
        packets.rank_thread(number(), number(), number());
        break;
      default: {
        const fxt::PerfettoProcess process{
            .process = number(), .parent = number(), .command_line = {text(), text()}};
        packets.processes(std::span(&process, 1));
      }
    }
  return packets;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  const std::size_t piece = data[0] % 16 + 1;
  if (takes(bytes, piece) != are_packets(bytes) || takes(bytes, size) != are_packets(bytes)) std::abort();
  const fxt::PerfettoPackets packets = packets_of(bytes);
  if (!takes(packets.bytes(), piece) || !are_packets(packets.bytes())) std::abort();
  return 0;
}
