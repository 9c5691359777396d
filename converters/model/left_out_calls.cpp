#include "converters/model/left_out_calls.h"

#include <cstddef>

namespace convert {

void LeftOutCalls::write(std::span<const MergedRun> runs) {
  kept_.clear();
  for (const auto& [slots, lane] : runs)
    for (const Slot& slot : slots)
      if (!is_left_out(slot)) kept_.push_back({{&slot, 1}, lane});
  if (!kept_.empty()) next_.write(kept_);
}

bool LeftOutCalls::is_left_out(const Slot& slot) {
  if (slot.kind != SlotKind::Complete && slot.kind != SlotKind::Begin && slot.kind != SlotKind::End)
    return false;
  const auto index = static_cast<std::size_t>(slot.label);
  if (index >= answers_.size()) answers_.resize(index + 1);
  if (answers_[index] == Answer::Unknown)
    answers_[index] = names_.parts(slot.label).category == left_out_ ? Answer::LeftOut : Answer::Stays;
  return answers_[index] == Answer::LeftOut;
}

}  // namespace convert
