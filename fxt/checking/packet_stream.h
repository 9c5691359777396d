// Checks the blobs of type Perfetto. Together, they are one Perfetto trace, a protobuf. The trace may be
// split between two blobs at any byte (rule W23). Finds the borders of packets and fields, but not their
// meaning. Internal to the Checker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fxt/field.h"

namespace fxt {

// Protobuf: a varint has seven bits per byte, the lowest first. In the last byte, the eighth bit is 0.
using VarintBits = Field<0, 6>;
using VarintGoesOn = Field<7>;
inline constexpr unsigned kMaxShift = 63;

// Protobuf: a field begins with its wire type and number.
struct ProtobufTag {
  using WireType = Field<0, 2>;
  using Number = Field<3, 63>;
};
inline constexpr std::uint8_t kPacketTag = 0x0a;  // field 1 of a trace: a packet with its size

class PacketStream {
 public:
  // Adds the next bytes. Returns false if these or earlier bytes are not packets.
  bool add(std::span<const std::byte> bytes);
  // True between two packets.
  bool is_whole() const { return state_ == State::PacketTag; }

 private:
  enum class State : std::uint8_t { PacketTag, PacketSize, FieldTag, Varint, FieldSize, Bytes, Broken };

  State next_state(std::uint8_t byte);
  State after_varint();
  State skip(std::uint64_t bytes);
  State next_field() const { return left_ == 0 ? State::PacketTag : State::FieldTag; }

  State state_ = State::PacketTag;
  std::uint64_t varint_ = 0;
  unsigned shift_ = 0;       // position of the next seven bits of the varint
  std::uint64_t left_ = 0;   // remaining bytes of the packet
  std::uint64_t bytes_ = 0;  // remaining bytes of the field
};

inline bool PacketStream::add(std::span<const std::byte> bytes) {
  while (!bytes.empty() && state_ != State::Broken) {
    if (state_ == State::Bytes) {
      const std::size_t passed = std::min<std::uint64_t>(bytes_, bytes.size());
      bytes = bytes.subspan(passed);
      left_ -= passed;
      bytes_ -= passed;
      if (bytes_ == 0) state_ = next_field();
    } else {
      state_ = next_state(std::to_integer<std::uint8_t>(bytes[0]));
      bytes = bytes.subspan(1);
    }
  }
  return state_ != State::Broken;
}

inline PacketStream::State PacketStream::next_state(std::uint8_t byte) {
  if (state_ == State::PacketTag) return byte == kPacketTag ? State::PacketSize : State::Broken;
  varint_ |= VarintBits::get(byte) << shift_;
  shift_ += 7;
  if (state_ != State::PacketSize) --left_;
  if (VarintGoesOn::get(byte) != 0) {
    const bool has_room = state_ == State::PacketSize || left_ != 0;
    return has_room && shift_ <= kMaxShift ? state_ : State::Broken;
  }
  shift_ = 0;
  const State state = after_varint();
  varint_ = 0;
  return state;
}

inline PacketStream::State PacketStream::after_varint() {
  switch (state_) {
    case State::PacketSize:
      left_ = varint_;
      return next_field();
    case State::Varint:
      return next_field();
    case State::FieldSize:
      return skip(varint_);
    default:
      break;
  }
  if (ProtobufTag::Number::get(varint_) == 0) return State::Broken;
  switch (ProtobufTag::WireType::get(varint_)) {
    case 0:
      return left_ != 0 ? State::Varint : State::Broken;
    case 1:
      return skip(8);
    case 2:
      return left_ != 0 ? State::FieldSize : State::Broken;
    case 5:
      return skip(4);
    default:
      return State::Broken;
  }
}

inline PacketStream::State PacketStream::skip(std::uint64_t bytes) {
  if (bytes > left_) return State::Broken;
  bytes_ = bytes;
  return bytes == 0 ? next_field() : State::Bytes;
}

}  // namespace fxt
