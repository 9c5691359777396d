#include "converters/tfile/actions/replay.h"

#include <algorithm>

#include "converters/tfile/actions/emulator.h"

namespace convert::tfile {
namespace {

constexpr std::uint64_t kMaxBlock = 65535;  // longer ranges continue in the next block
// Unexplained blocks before an expected block are skipped if there are fewer of them than this number.
constexpr std::size_t kLookAhead = 4;

}  // namespace

// Runs an expression again on a frame. Memory that the expression records must be one of the next blocks of
// the frame.
class Replay::FrameTarget : public EmulatorTarget {
 public:
  FrameTarget(Replay& replay, ActionResult& action)
      : replay_(replay), memory_(*replay.memory_), action_(action) {}

  std::optional<std::uint64_t> read_register(std::uint64_t number) override {
    return memory_.register_value(number);
  }
  std::optional<std::uint64_t> read_memory(std::uint64_t address, std::size_t size) override {
    return memory_.number(address, size);
  }
  std::optional<std::uint64_t> read_variable(std::uint64_t number) override {
    return memory_.variable(number);
  }

  bool record(const MemoryRecord& record) override {
    const auto address = record.address ? std::optional(memory_.masked(*record.address)) : std::nullopt;
    // GDB records the address of an array of unknown size, but none of its elements.
    if (record.length == 0 && !record.is_string && !record.is_operand) {
      const auto& blocks = memory_.memory();
      const bool has_block = replay_.at_ < blocks.size() && blocks[replay_.at_].bytes.empty();
      if (address)
        action_.recordings.push_back(
            {.first_block = replay_.at_, .blocks = has_block ? 1u : 0u, .address = *address});
      replay_.at_ += has_block ? 1 : 0;
      return true;
    }
    if (!is_next(address, record)) {
      const bool found = address && record.length && !record.is_string &&
                         replay_.find_ahead(*address, std::min(*record.length, kMaxBlock));
      if (!found) return false;
    }
    RecordedMemory recording = replay_.consume(record.is_string ? 0 : record.length.value_or(0));
    recording.is_string = record.is_string;
    recording.is_operand = record.is_operand;
    action_.recordings.push_back(recording);
    return true;
  }

 protected:
  Replay& replay_;
  FrameMemory& memory_;
  ActionResult& action_;

 private:
  bool is_next(std::optional<std::uint64_t> address, const MemoryRecord& record) const {
    if (replay_.at_ >= memory_.memory().size()) return false;
    const HeldBlock& block = memory_.memory()[replay_.at_];
    if (address && *address != memory_.masked(block.address)) return false;
    if (record.is_string)
      return !record.length || *record.length == 0 || block.bytes.size() <= *record.length;
    return !record.length || std::min(*record.length, kMaxBlock) == block.bytes.size();
  }
};

class Replay::RegistersTarget : public FrameTarget {
 public:
  using FrameTarget::FrameTarget;

  bool record(const MemoryRecord& record) override {
    if (!record.address || !record.length) return false;
    action_.recordings.push_back({.address = memory_.masked(*record.address),
                                  .size = *record.length,
                                  .is_string = record.is_string,
                                  .is_operand = record.is_operand});
    return true;
  }
};

bool Replay::run(std::span<const TracepointAction> actions, const std::vector<bool>& is_needed,
                 FrameMemory& frame, fxt::Budget& work) {
  return run_all<FrameTarget>(actions, is_needed, frame, work);
}

bool Replay::run_on_registers(std::span<const TracepointAction> actions, FrameMemory& registers,
                              fxt::Budget& work) {
  return run_all<RegistersTarget>(actions, {}, registers, work);
}

template <typename Target>
bool Replay::run_all(std::span<const TracepointAction> actions, const std::vector<bool>& is_needed,
                     FrameMemory& frame, fxt::Budget& work) {
  constexpr std::uint64_t kWorkPerAction = 16, kWorkPerInstruction = 8;
  // An instruction may search all blocks for an address.
  const std::uint64_t work_per_instruction = kWorkPerInstruction + frame.memory().size();
  memory_ = &frame;
  at_ = 0;
  actions_.clear();
  std::size_t expression = 0;
  if (!work.take(actions.size() * kWorkPerAction)) return false;
  for (const TracepointAction& action : actions) {
    if (action.kind == TracepointAction::Kind::Memory) run_range(action);
    if (action.kind != TracepointAction::Kind::Expression) continue;
    ActionResult& added = actions_.emplace_back(ActionResult{.source = &action});
    if (!is_needed.empty() && !is_needed[expression++]) continue;
    Target target(*this, added);
    const RunResult result = tfile::run(action.code, target);
    if (!work.take(result.steps * work_per_instruction)) return false;
    added.is_complete = result.outcome == Outcome::Finished;
    if (added.is_complete) added.result = result.result;
  }
  return true;
}

// Takes the next block, and the blocks that continue its memory, until they have `length` bytes.
Replay::RecordedMemory Replay::consume(std::uint64_t length) {
  const auto& blocks = memory_->memory();
  const HeldBlock& first = blocks[at_];
  RecordedMemory recording{.first_block = at_++,
                           .blocks = 1,
                           .address = memory_->masked(first.address),
                           .size = first.bytes.size(),
                           .bytes = first.bytes};
  while (recording.size < length && at_ < blocks.size() && !blocks[at_].bytes.empty() &&
         blocks[at_].address == first.address + recording.size) {
    recording.size += blocks[at_++].bytes.size();
    ++recording.blocks;
  }
  return recording;
}

void Replay::run_range(const TracepointAction& action) {
  ActionResult& added = actions_.emplace_back(ActionResult{.source = &action});
  if (action.base >= 0) {
    // gdbserver ignores the base register, but other targets add it.
    const auto value = memory_->register_value(static_cast<std::uint64_t>(action.base));
    if (value && match_range(action, *value + static_cast<std::uint64_t>(action.offset), added)) return;
  }
  match_range(action, static_cast<std::uint64_t>(action.offset), added);
}

bool Replay::match_range(const TracepointAction& action, std::uint64_t address, ActionResult& result) {
  if (!find_ahead(memory_->masked(address), std::min(action.length, kMaxBlock))) return false;
  result.recordings.push_back(consume(action.length));
  result.is_complete = true;
  return true;
}

// Skips a few unexplained blocks if the expected block follows them.
bool Replay::find_ahead(std::uint64_t address, std::uint64_t size) {
  const auto& blocks = memory_->memory();
  const std::size_t end = std::min(blocks.size(), at_ + kLookAhead);
  for (std::size_t i = at_; i < end; ++i) {
    if (memory_->masked(blocks[i].address) != address || blocks[i].bytes.size() != size) continue;
    at_ = i;
    return true;
  }
  return false;
}

// Several recordings may cover the memory together, because GDB may record a bit-field in two pieces.
bool Replay::has_recorded(std::uint64_t address, std::uint64_t size) const {
  while (size > 0) {
    std::uint64_t held = 0;
    for (const ActionResult& action : actions_)
      for (const RecordedMemory& recording : action.recordings)
        if (address >= recording.address && address - recording.address < recording.size)
          held = std::max(held, recording.size - (address - recording.address));
    if (held == 0) return false;
    address += std::min(held, size);
    size -= std::min(held, size);
  }
  return true;
}

bool Replay::is_in_a_range(std::uint64_t address, std::uint64_t size) const {
  return std::ranges::any_of(actions_, [&](const ActionResult& replayed) {
    const TracepointAction& action = *replayed.source;
    const auto begin = memory_->masked(static_cast<std::uint64_t>(action.offset));
    return action.kind == TracepointAction::Kind::Memory && action.base == -1 && address >= begin &&
           address - begin <= action.length && action.length - (address - begin) >= size;
  });
}

}  // namespace convert::tfile
