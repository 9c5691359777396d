// What one frame holds: registers, memory and trace state variables. Whatever it does not hold is unknown.
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

// Whether fast tracepoints record the register: on amd64 rax…r15, rip and eflags. All
// other bytes of their register blocks are zero.
inline bool is_in_fast_frames(const Register& reg, const RegisterLayout& layout) {
  if (layout.architecture().starts_with("i386:x")) return reg.number <= 17;
  return reg.is_general && !reg.name.starts_with("orig_");
}

class FrameMemory {
 public:
  // The bytes from an address on of the read-only data of the program.
  using Constants = std::function<std::span<const std::byte>(std::uint64_t)>;

  // `layout` may be null.
  FrameMemory(const RegisterLayout* layout, std::endian order, Constants constants = {})
      : layout_(layout),
        order_(order),
        address_mask_(address_mask(layout)),
        constants_(std::move(constants)) {}

  // Borrows the budget that what is worked out from frames is taken from. Without one there is no limit.
  void set_work(fxt::Budget& work) { work_ = &work; }
  // False if the budget is exceeded.
  bool take_work(std::uint64_t steps) { return work_ == nullptr || work_->take(steps); }

  // Borrows the frame. `registers` may be null.
  void start(const Frame& frame, const Block* registers, bool is_fast) {
    frame_ = &frame;
    registers_ = registers;
    is_fast_ = is_fast;
    depends_on_values_ = false;
    memory_.clear();
    joined_.clear();
    for (const Block& block : frame.blocks)
      if (block.kind == Block::Kind::Memory) memory_.push_back(&block);
  }

  const RegisterLayout* layout() const { return layout_; }
  std::endian order() const { return order_; }
  std::size_t address_bytes() const { return layout_ != nullptr ? layout_->address_bytes() : 8; }
  std::uint64_t masked(std::uint64_t address) const { return address & address_mask_; }
  const std::vector<const Block*>& blocks() const { return memory_; }  // of memory, in the frame's order

  // Whether anything was asked for that may be different in other frames of the same blocks. Then what is
  // made of it serves this frame alone. Registers, variables, read() and number() set it; bytes() and
  // held_from() do not: they are for bytes that are shown, which a recipe loads again from each frame.
  bool depends_on_values() const { return depends_on_values_; }
  void set_depends_on_values() { depends_on_values_ = true; }

  // Empty when the frame does not hold the register.
  std::span<const std::byte> register_bytes(const Register& reg) {
    depends_on_values_ = true;
    if (registers_ == nullptr || (is_fast_ && !is_in_fast_frames(reg, *layout_))) return {};
    return bytes_of(reg, registers_->bytes);
  }
  std::optional<std::uint64_t> register_value(const Register& reg) {
    const auto bytes = register_bytes(reg);
    return bytes.empty() || bytes.size() > 8 ? std::nullopt : std::optional(unsigned_bits(bytes, order_));
  }

  // By the target's number.
  std::optional<std::uint64_t> register_value(std::uint64_t number) {
    const Register* const reg = layout_ != nullptr ? layout_->by_number(number) : nullptr;
    return reg != nullptr ? register_value(*reg) : std::nullopt;
  }

  // Memory, from the first block that holds an address on; empty when any of the bytes is missing. Valid
  // until start().
  std::span<const std::byte> bytes(std::uint64_t address, std::uint64_t size) {
    address = masked(address);
    const auto first = held_from(address);
    if (first.size() >= size) return first.first(size);
    if (first.empty() || size > kMaxJoined) return {};
    std::vector<std::byte> all(first.begin(), first.end());
    while (all.size() < size) {
      const auto more = held_from(masked(address + all.size()));
      if (more.empty()) return {};
      all.insert(all.end(), more.begin(), more.end());
    }
    all.resize(size);
    return joined_.emplace_back(std::move(all));
  }
  // The bytes of the first block that holds the address, from there on.
  std::span<const std::byte> held_from(std::uint64_t address) const {
    for (const Block* const block : memory_)
      if (const std::uint64_t offset = address - masked(block->address); offset < block->bytes.size())
        return block->bytes.subspan(offset);
    return {};
  }
  // The bytes from an address on: up to a block with a NUL, or to what the frame lacks, and at most `size`.
  std::span<const std::byte> text(std::uint64_t address, std::uint64_t size = kMaxJoined) {
    std::uint64_t held = 0;
    for (bool is_open = true; is_open && held < size;) {
      const auto more = held_from(masked(address + held));
      held += more.size();
      is_open = !more.empty() && std::ranges::find(more, std::byte{0}) == more.end();
    }
    return bytes(address, std::min(held, size));
  }
  // The same as bytes(), or else constants of the program.
  std::span<const std::byte> read(std::uint64_t address, std::size_t size) {
    depends_on_values_ = true;
    if (reads_) reads_->emplace_back(masked(address), size);
    auto found = bytes(address, size);
    if (found.empty() && constants_) found = constants_(masked(address));
    return found.first(found.size() < size ? 0 : size);
  }
  std::optional<std::uint64_t> number(std::uint64_t address, std::size_t size) {
    const auto found = read(address, size);
    return found.empty() ? std::nullopt : std::optional(unsigned_bits(found, order_));
  }

  // Addresses and sizes.
  using Ranges = std::vector<std::pair<std::uint64_t, std::size_t>>;
  // Lists what read() and number() are asked for, until taken_reads() gives it.
  void list_reads() { reads_.emplace(); }
  Ranges taken_reads() { return *std::exchange(reads_, std::nullopt); }

  // The latest value of a trace state variable.
  std::optional<std::uint64_t> variable(std::uint64_t number) {
    depends_on_values_ = true;
    return frame_->variable(number);
  }

 private:
  static constexpr std::uint64_t kMaxJoined = std::uint64_t{1} << 24;

  const RegisterLayout* layout_;
  std::endian order_;
  std::uint64_t address_mask_;
  Constants constants_;
  const Frame* frame_ = nullptr;
  const Block* registers_ = nullptr;
  bool is_fast_ = false;
  bool depends_on_values_ = false;
  fxt::Budget* work_ = nullptr;
  std::optional<Ranges> reads_;
  std::vector<const Block*> memory_;
  std::deque<std::vector<std::byte>> joined_;  // memory that lies in several blocks
};

}  // namespace convert::tfile
