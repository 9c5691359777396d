// The place of bytes in a frame, without the values of the bytes. A recipe can load the bytes at that
// place from each frame. Only FrameMemory::look_at() gives the values, and it notes that a value was
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace convert::tfile {

class FrameBytes {
 public:
  FrameBytes() = default;

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  // False for bytes that were joined from several blocks.
  bool is_in_frame() const { return offset_ != kNowhere; }
  // The offset of the bytes, counted from the frame's header.
  std::uint32_t offset() const { return offset_; }
  FrameBytes first(std::size_t size) const { return {bytes_.first(size), offset_}; }
  FrameBytes subspan(std::size_t from) const { return subspan(from, size() - from); }
  FrameBytes subspan(std::size_t from, std::size_t size) const {
    return {bytes_.subspan(from, size),
            is_in_frame() ? offset_ + static_cast<std::uint32_t>(from) : kNowhere};
  }

 private:
  friend class FrameMemory;
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  FrameBytes(std::span<const std::byte> bytes, std::uint32_t offset) : bytes_(bytes), offset_(offset) {}

  std::span<const std::byte> bytes_;
  std::uint32_t offset_ = kNowhere;
};

}  // namespace convert::tfile
