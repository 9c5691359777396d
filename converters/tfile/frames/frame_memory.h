// Gives access to the contents of one frame: registers, memory and trace state variables. All other memory of
// the program is unknown.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "converters/tfile/description/numbers.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/frames/frame_reader.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

// True if the frames of fast tracepoints have the value of the register. On amd64, such frames have rax…r15,
// rip and eflags, and zeros for all other registers.
inline bool is_in_fast_frames(const Register& reg, const RegisterLayout& layout) {
  if (layout.architecture().starts_with("i386:x")) return reg.number <= 17;
  return reg.is_general && !reg.name.starts_with("orig_");
}

// The position and size of bytes in a frame, without their values. A recipe can load the bytes at this
// position from each frame with the same blocks. FrameMemory::look_at() returns the values, and notes that
// they were read.
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

struct HeldBlock {
  Block::Kind kind;
  std::uint64_t address;  // address of memory, or number of a variable
  FrameBytes bytes;
};

// Gives access to the blocks of one frame. A place (FrameBytes) is the same in all frames with the same
// blocks, but a value may differ. Therefore, each function that returns a value notes that the frame was
// read: see was_looked_at(). A result that depends on values is correct only for this frame.
class FrameMemory {
 public:
  // Returns the program's read-only data that starts at the given address.
  using Constants = std::function<std::span<const std::byte>(std::uint64_t)>;

  // `layout` may be null.
  FrameMemory(const RegisterLayout* layout, std::endian order, Constants constants = {})
      : layout_(layout),
        order_(order),
        address_mask_(address_mask(layout)),
        constants_(std::move(constants)) {}

  void set_work(fxt::Budget& work) { work_ = &work; }
  // Returns false if the budget is exceeded.
  bool take_work(std::uint64_t steps) { return work_ == nullptr || work_->take(steps); }

  // The frame must stay valid until the next start(). `is_fast` is true for a fast tracepoint.
  void start(const Frame& frame, bool is_fast) {
    frame_ = &frame;
    registers_ = {};
    has_registers_ = false;
    is_fast_ = is_fast;
    was_looked_at_ = false;
    blocks_.clear();
    memory_.clear();
    joined_.clear();
    for (const Block& block : frame.blocks) {
      blocks_.push_back({block.kind, block.address, place_of(block)});
      if (block.kind == Block::Kind::Memory) memory_.push_back(blocks_.back());
      if (block.kind == Block::Kind::Registers && !std::exchange(has_registers_, true))
        registers_ = blocks_.back().bytes;
    }
  }

  const RegisterLayout* layout() const { return layout_; }
  std::endian order() const { return order_; }
  std::size_t address_bytes() const { return layout_ != nullptr ? layout_->address_bytes() : 8; }
  std::uint64_t masked(std::uint64_t address) const { return address & address_mask_; }

  // ---- Places ----

  const std::vector<HeldBlock>& blocks() const { return blocks_; }  // in the frame's order
  const std::vector<HeldBlock>& memory() const { return memory_; }

  bool has_registers() const { return has_registers_; }
  std::size_t registers_size() const { return registers_.size(); }
  // Returns nothing if the frame does not have the register.
  FrameBytes place_of(const Register& reg) const {
    const bool is_held = reg.offset <= registers_.size() && reg.size <= registers_.size() - reg.offset;
    if (!is_held || (is_fast_ && !is_in_fast_frames(reg, *layout_))) return {};
    return registers_.subspan(reg.offset, reg.size);
  }

  // The bytes at an address, from the first block that contains it. If this block ends early, continues with
  // the first block that contains the next byte, and so on. Empty if a byte is missing. Valid until start().
  FrameBytes bytes(std::uint64_t address, std::uint64_t size) {
    address = masked(address);
    const FrameBytes first = held_from(address);
    if (first.size() >= size) return first.first(size);
    if (first.empty() || size > kMaxJoined) return {};
    std::vector<std::byte> all(first.bytes_.begin(), first.bytes_.end());
    while (all.size() < size) {
      const FrameBytes more = held_from(masked(address + all.size()));
      if (more.empty()) return {};
      all.insert(all.end(), more.bytes_.begin(), more.bytes_.end());
    }
    all.resize(size);
    return {joined_.emplace_back(std::move(all)), FrameBytes::kNowhere};
  }
  // The bytes from the address on, in the first block that contains the address.
  FrameBytes held_from(std::uint64_t address) const {
    for (const HeldBlock& block : memory_)
      if (const std::uint64_t offset = address - masked(block.address); offset < block.bytes.size())
        return block.bytes.subspan(offset);
    return {};
  }

  // ---- Values ----

  bool was_looked_at() const { return was_looked_at_; }

  std::span<const std::byte> look_at(const FrameBytes& bytes) {
    was_looked_at_ = true;
    return bytes.bytes_;
  }
  // The bytes of a text that starts at the address. They end with the first block that has a NUL, or before
  // the first missing byte. At most `size` bytes.
  FrameBytes text(std::uint64_t address, std::uint64_t size = kMaxJoined) {
    std::uint64_t held = 0;
    for (bool is_open = true; is_open && held < size;) {
      const auto more = look_at(held_from(masked(address + held)));
      held += more.size();
      is_open = !more.empty() && std::ranges::find(more, std::byte{0}) == more.end();
    }
    return bytes(address, std::min(held, size));
  }
  // The bytes come from the frame. If the frame does not have all of them, they come from the program's
  // read-only data. Empty if the program does not have all of them either.
  std::span<const std::byte> read(std::uint64_t address, std::size_t size) {
    if (reads_) reads_->emplace_back(masked(address), size);
    auto found = look_at(bytes(address, size));
    if (found.empty() && constants_) found = constants_(masked(address));
    return found.first(found.size() < size ? 0 : size);
  }
  std::optional<std::uint64_t> number(std::uint64_t address, std::size_t size) {
    const auto found = read(address, size);
    return found.empty() ? std::nullopt : std::optional(unsigned_bits(found, order_));
  }

  // Addresses and sizes.
  using Ranges = std::vector<std::pair<std::uint64_t, std::size_t>>;
  // After list_reads(), read() and number() add the ranges that they read to a list. taken_reads() returns
  // the list. After that, read() and number() add nothing.
  void list_reads() { reads_.emplace(); }
  Ranges taken_reads() { return *std::exchange(reads_, std::nullopt); }

  std::span<const std::byte> register_bytes(const Register& reg) { return look_at(place_of(reg)); }
  std::optional<std::uint64_t> register_value(const Register& reg) {
    const auto bytes = register_bytes(reg);
    return bytes.empty() || bytes.size() > 8 ? std::nullopt : std::optional(unsigned_bits(bytes, order_));
  }
  // `number` is the target's number of the register.
  std::optional<std::uint64_t> register_value(std::uint64_t number) {
    const Register* const reg = layout_ != nullptr ? layout_->by_number(number) : nullptr;
    return reg != nullptr ? register_value(*reg) : std::nullopt;
  }

  // The last value of a trace state variable in the frame.
  std::optional<std::uint64_t> variable(std::uint64_t number) {
    was_looked_at_ = true;
    return frame_->variable(number);
  }

 private:
  static constexpr std::uint64_t kMaxJoined = std::uint64_t{1} << 24;

  FrameBytes place_of(const Block& block) const {
    const std::byte* const header = frame_->bytes.data();
    const bool is_in_frame = header != nullptr && block.bytes.data() != nullptr;
    return {block.bytes,
            is_in_frame ? static_cast<std::uint32_t>(block.bytes.data() - header) : FrameBytes::kNowhere};
  }

  const RegisterLayout* layout_;
  std::endian order_;
  std::uint64_t address_mask_;
  Constants constants_;
  const Frame* frame_ = nullptr;
  FrameBytes registers_;  // the first block of registers
  bool has_registers_ = false;
  bool is_fast_ = false;
  bool was_looked_at_ = false;
  fxt::Budget* work_ = nullptr;
  std::optional<Ranges> reads_;
  std::vector<HeldBlock> blocks_, memory_;
  std::deque<std::vector<std::byte>> joined_;  // memory that is in several blocks
};

}  // namespace convert::tfile
