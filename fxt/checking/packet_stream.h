// The blobs of type Perfetto: together they are packets of a Perfetto trace, a protobuf that may be cut
// anywhere (fxt-notes W23). Finds the borders of packets and fields, not their meaning. Internal to the
// Writer and the Checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fxt {

class PacketStream {
 public:
  // Consumes the next bytes. False, from then on always, if they are not packets.
  bool add(std::span<const std::byte> bytes);
  // True between two packets.
  bool is_whole() const { return state_ == State::PacketTag; }

 private:
  enum class State : std::uint8_t { PacketTag, PacketSize, FieldTag, Varint, FieldSize, Bytes, Broken };

  State after(std::uint8_t byte);
  State after_varint();
  State skip(std::uint64_t bytes);
  State next_field() const { return left_ == 0 ? State::PacketTag : State::FieldTag; }

  State state_ = State::PacketTag;
  std::uint64_t varint_ = 0;
  unsigned shift_ = 0;       // of its next seven bits
  std::uint64_t left_ = 0;   // of the packet
  std::uint64_t bytes_ = 0;  // of these: of the field
};

}  // namespace fxt
