#include "converters/tfile/actions/memory_labels.h"

#include <algorithm>

#include "converters/tfile/actions/emulator.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr std::uint64_t kMaxBlock = 65535;  // longer ranges continue in the next block
// A block is searched after fewer than this many unexplained blocks.
constexpr std::size_t kLookAhead = 4;
// An expression reads only this many of the latest blocks.
constexpr std::size_t kLookBack = 256;

std::optional<std::uint64_t> register_of(const RegisterLayout* layout, const Block* registers,
                                         std::uint64_t number, std::endian order) {
  if (layout == nullptr || registers == nullptr) return std::nullopt;
  const Register* reg = layout->by_number(number);
  if (reg == nullptr || reg->size > 8) return std::nullopt;
  const auto bytes = bytes_of(*reg, registers->bytes);
  return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order));
}

// Whether an item of unknown type is text. Even with collect/s, an item of the size of a number is not.
bool is_text(bool is_collected_as_string, std::uint64_t size) {
  return is_collected_as_string && size != 1 && size != 2 && size != 4 && size != 8;
}

}  // namespace

// A frame as the target of an expression that runs again: whatever the expression records is the next block.
class MemoryLabels::FrameTarget : public EmulatorTarget {
 public:
  FrameTarget(MemoryLabels& labels, const Frame& frame, const Block* registers, const MemoryAction& action)
      : labels_(labels), frame_(frame), registers_(registers), action_(action) {}

  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return register_of(labels_.layout_, registers_, number, labels_.order_);
  }

  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t size) override {
    address &= labels_.address_mask_;
    const std::size_t first = labels_.at_ - std::min(labels_.at_, kLookBack);
    for (std::size_t i = labels_.at_; i-- > first;) {
      const Block& block = *labels_.memory_[i];
      const std::uint64_t offset = address - block.address;
      if (address < block.address || offset > block.bytes.size() || block.bytes.size() - offset < size)
        continue;
      labels_.has_read_values_ = true;
      return unsigned_bits(block.bytes.subspan(offset, size), labels_.order_);
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> read_variable(std::uint64_t number) override {
    std::optional<std::uint64_t> value;
    for (const Block& block : frame_.blocks)
      if (block.kind == Block::Kind::Variable && block.address == number)
        value = static_cast<std::uint64_t>(block.value);
    if (value) labels_.has_read_values_ = true;
    return value;
  }

  bool record(const MemoryRecord& recorded) override {
    MemoryRecord record = recorded;
    if (record.address) *record.address &= labels_.address_mask_;
    if (record.length == 0 && !record.is_string && !record.is_operand) return record_address(record);
    if (!fits(record)) {
      const bool found = record.address && record.length && !record.is_string &&
                         labels_.find_ahead(*record.address, std::min(*record.length, kMaxBlock));
      if (!found) return false;
    }
    const Block& block = *labels_.memory_[labels_.at_++];
    if (record.is_operand || !action_.name) {
      labels_.unnamed_.push_back(&block);
      return true;
    }
    NamedMemory named{.name = *action_.name, .bytes = block.bytes, .size = block.bytes.size()};
    named.is_string = record.is_string || is_text(action_.is_string, block.bytes.size());
    named.layout = action_.layout.get();
    if (!record.is_string && record.length)
      while (named.size < *record.length && continues(block.address + named.size))
        named.size += labels_.memory_[labels_.at_++]->bytes.size();
    labels_.named_.push_back(named);
    return true;
  }

 private:
  // GDB records the address of an array of unknown size, and none of its elements.
  bool record_address(const MemoryRecord& record) {
    if (const Block* const block = labels_.next(); block != nullptr && block->bytes.empty()) ++labels_.at_;
    if (action_.name && record.address)
      labels_.named_.push_back(
          {.name = *action_.name, .layout = action_.layout.get(), .value = record.address});
    return true;
  }

  bool fits(const MemoryRecord& record) const {
    const Block* block = labels_.next();
    if (block == nullptr || (record.address && *record.address != block->address)) return false;
    if (record.is_string)
      return !record.length || *record.length == 0 || block->bytes.size() <= *record.length;
    return !record.length || std::min(*record.length, kMaxBlock) == block->bytes.size();
  }

  bool continues(std::uint64_t address) const {
    const Block* block = labels_.next();
    return block != nullptr && block->address == address && !block->bytes.empty();
  }

  MemoryLabels& labels_;
  const Frame& frame_;
  const Block* registers_;
  const MemoryAction& action_;
};

void MemoryLabels::label(const Frame& frame, const Block* registers, const ExpectedBlocks* expected) {
  memory_.clear();
  named_.clear();
  unnamed_.clear();
  at_ = 0;
  has_read_values_ = false;
  for (const Block& block : frame.blocks)
    if (block.kind == Block::Kind::Memory) memory_.push_back(&block);
  if (expected != nullptr) {
    for (const MemoryAction& action : expected->actions) {
      if (!action.is_expression) {
        label_range(action, registers);
        continue;
      }
      if (next() == nullptr && !action.is_value) continue;
      FrameTarget target(*this, frame, registers, action);
      const RunResult result = run(action.code, target);
      if (action.is_value && result.outcome == Outcome::Finished && result.result)
        named_.push_back(
            {.name = *action.name, .size = 8, .layout = action.layout.get(), .value = result.result});
    }
  }
  skip_to(memory_.size());
}

void MemoryLabels::label_range(const MemoryAction& action, const Block* registers) {
  if (action.base >= 0) {
    // gdbserver ignores the base register, other targets add it.
    const auto base = register_of(layout_, registers, static_cast<std::uint64_t>(action.base), order_);
    if (base && match_range(action, *base + action.offset)) return;
  }
  match_range(action, action.offset);
}

bool MemoryLabels::match_range(const MemoryAction& action, std::uint64_t address) {
  address &= address_mask_;
  if (!find_ahead(address, std::min(action.length, kMaxBlock))) return false;
  const Block& first = *memory_[at_++];
  std::uint64_t size = first.bytes.size();
  std::size_t last = at_;
  while (size < action.length && last < memory_.size() && memory_[last]->address == address + size &&
         !memory_[last]->bytes.empty())
    size += memory_[last++]->bytes.size();
  if (action.parts.empty())
    unnamed_.insert(unnamed_.end(), memory_.begin() + static_cast<std::ptrdiff_t>(at_ - 1),
                    memory_.begin() + static_cast<std::ptrdiff_t>(last));
  at_ = last;
  for (const RangePart& part : action.parts) {
    if (part.offset >= first.bytes.size()) continue;
    const std::uint64_t here = std::min<std::uint64_t>(part.size, first.bytes.size() - part.offset);
    named_.push_back({.name = part.name,
                      .bytes = first.bytes.subspan(part.offset, here),
                      .size = part.size,
                      .is_string = !part.layout && is_text(part.is_string, part.size),
                      .layout = part.layout.get()});
  }
  return true;
}

// Skips a few unexplained blocks if the expected one follows them.
bool MemoryLabels::find_ahead(std::uint64_t address, std::uint64_t size) {
  const std::size_t end = std::min(memory_.size(), at_ + kLookAhead);
  for (std::size_t i = at_; i < end; ++i) {
    if (memory_[i]->address != address || memory_[i]->bytes.size() != size) continue;
    skip_to(i);
    return true;
  }
  return false;
}

std::span<const std::byte> MemoryLabels::memory_at(std::uint64_t address, std::uint64_t size) const {
  for (const Block* block : memory_)
    if (address >= block->address && address - block->address <= block->bytes.size() &&
        block->bytes.size() - (address - block->address) >= size)
      return block->bytes.subspan(address - block->address, size);
  return {};
}

void MemoryLabels::skip_to(std::size_t at) {
  for (; at_ < at; ++at_) unnamed_.push_back(memory_[at_]);
}

}  // namespace convert::tfile
