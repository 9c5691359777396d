#include "fxt/checking/repaired_record.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "fxt/checked_output.h"
#include "fxt/checking/value_rules.h"

namespace fxt {
namespace {

void replace_zero(std::uint64_t& id) {
  if (id == 0) id = CheckedOutput::kIdForZero;
}
void replace_zero(Thread& thread) {
  // Thread 0 is always inline. With another id, the thread can be in the table.
  if (thread.thread == 0) thread.storage = Storage::Table;
  replace_zero(thread.process);
  replace_zero(thread.thread);
}

// Scheduling records are not changed, because thread 0 in them is the idle thread.
void replace_zero_ids(auto& record) {
  if constexpr (requires { record.thread.storage; }) replace_zero(record.thread);
}

void replace_zero_ids(KernelObject& object) {
  if (object.type != KernelObjectType::Process && object.type != KernelObjectType::Thread) return;
  replace_zero(object.koid);
  std::vector<Argument> arguments(object.arguments.begin(), object.arguments.end());
  for (Argument& argument : arguments)
    if (auto* const koid = std::get_if<Koid>(&argument.value)) replace_zero(koid->koid);
  object.arguments = std::move(arguments);
}

}  // namespace

RepairedRecord::RepairedRecord(const Record& record) : record_(record), event_(std::get_if<Event>(&record_)) {
  std::visit([](auto& value) { replace_zero_ids(value); }, record_);
}

bool RepairedRecord::repair(Fault fault) {
  switch (fault) {
    case Fault::IdZero:
      return true;
    case Fault::StrayEnd:
    case Fault::StrayEndInside:
    case Fault::AsyncStrayEnd:
    case Fault::FlowNotBegun:
    case Fault::FlowInUse:
    case Fault::FlowOfSeveral:
    case Fault::NoValue:
      return is_left_out_ = true;
    default:
      return event_ != nullptr && repair_event(fault);
  }
}

bool RepairedRecord::repair_event(Fault fault) {
  switch (fault) {
    case Fault::FrameMark:
      event_->type = EventType::DurationComplete;
      event_->end = event_->time;
      return true;
    case Fault::EndBeforeBegin:
      event_->end = event_->time;
      return true;
    case Fault::NotEnclosed:
    case Fault::BehindEnded:
      return needs_duration_ = true;
    case Fault::NoNumber:
      return keep_arguments([](const Argument& argument, const auto&) { return is_number(argument.value); });
    case Fault::RepeatedName:
      return keep_arguments([](const Argument& argument, const auto& kept) {
        return std::ranges::none_of(kept,
                                    [&](const Argument& one) { return one.name.text == argument.name.text; });
      });
    case Fault::SharedSeries:
      return name_series();
    default:
      return false;
  }
}

template <typename IsKept>
bool RepairedRecord::keep_arguments(IsKept is_kept) {
  std::vector<Argument> kept;
  for (const Argument& argument : event_->arguments)
    if (is_kept(argument, kept)) kept.push_back(argument);
  if (event_->type == EventType::Counter && kept.empty()) is_left_out_ = true;
  event_->arguments = std::move(kept);
  return true;
}

bool RepairedRecord::name_series() {
  if (!texts_.empty()) return true;  // all series of this record already have their new names
  std::vector<Argument> named(event_->arguments.begin(), event_->arguments.end());
  texts_.reserve(named.size());
  for (Argument& argument : named) {
    texts_.push_back(std::string(event_->name.text).append(" ").append(argument.name.text));
    argument.name = String(std::string_view(texts_.back()));
  }
  event_->arguments = std::move(named);
  return true;
}

void RepairedRecord::write(Writer& writer) const {
  if (is_left_out_) return;
  if (needs_duration_) {
    Event around = *event_;
    around.type = EventType::DurationComplete;
    around.arguments = {};
    around.end = around.time;
    writer.write(around);
  }
  writer.write(record_);
}

}  // namespace fxt
