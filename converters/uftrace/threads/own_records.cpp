#include "converters/uftrace/threads/own_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

ThreadStages::ThreadStages(ThreadPlan& plan, Lane& lane, SharedByThreads& shared, Names& names,
                           RecordNotes& notes)
    : symbols(shared.symbolizer, *plan.task, shared.debug.has_any() ? &shared.debug : nullptr),
      option_filter(shared.filters == nullptr
                        ? nullptr
                        : std::make_unique<OptionFilter>(*shared.filters, shared.symbolizer, symbols, names,
                                                         lane, plan)),
      no_options(plan.skips_outside),
      filter(option_filter != nullptr ? *option_filter : no_options),
      calls(lane, filter, symbols, names, notes,
            {.record_file = plan.place.text(), .kernel_thread = plan.kernel.thread}),
      streams(plan, lane, filter, calls, names) {
  calls.begin_thread({.calls = plan.is_forked ? std::optional(plan.inherited) : std::nullopt,
                      .flow = plan.fork_flow,
                      .is_in_process = !plan.task->is_leader(),
                      .most_calls = plan.most_calls});
}

OwnRecords::OwnRecords(ThreadPlan& plan, ThreadStages& stages, Lane& lane, const SharedByThreads& shared,
                       Names& names, RecordNotes& notes)
    : plan_(plan),
      stages_(stages),
      lane_(lane),
      shared_(shared),
      names_(names),
      notes_(notes),
      events_(shared.events, *plan.task) {}

std::uint64_t OwnRecords::plain_until_ns() const {
  const bool is_plain = !events_.is_waiting() && stages_.calls.is_settled() && !stages_.calls.awaits_arrow();
  return is_plain ? std::min(stages_.symbols.until_ns(), stages_.streams.plain_until_ns()) : 0;
}

std::uint64_t OwnRecords::plain_until_offset() const {
  return plan_.forks.empty() ? kForever : plan_.forks.begin()->first;
}

template <typename FunctionText>
void OwnRecords::note_skipped(const RecordItem& item, FunctionText function) {
  notes_.add(kPayloadSkipped, [&] {
    return fmt::format("{} bytes of arguments or return value{}", item.end - item.begin - kRecordSize,
                       function());
  });
}

void OwnRecords::emit(const RecordItem& item, WorkerScratch& scratch) {
  switch (item.what) {
    case RecordItem::What::Call:
      emit_call(item, scratch);
      break;
    case RecordItem::What::Event:
      emit_event(item);
      break;
    case RecordItem::What::Loss:
      stages_.calls.lost(item.call.address);
      events_.forget();
      break;
    case RecordItem::What::BadTime:
      stages_.calls.interrupted();
      if (item.has_payload) note_skipped(item, [] { return std::string(); });
      break;
    case RecordItem::What::NotRecords:
    case RecordItem::What::Zeros:
      stages_.calls.interrupted();
      events_.forget();
      break;
    case RecordItem::What::Truncated:
      break;
  }
}

// ---- Calls ----

void OwnRecords::emit_call(const RecordItem& item, WorkerScratch& scratch) {
  const CallRecord& call = item.call;
  StackRepair& calls = stages_.calls;
  bool needs_room = stages_.streams.emit_before({call.time_ns, Precedence::OwnRecord});
  if (plan_.facts.has_estimated_exits) {
    if (!call.is_entry() && stages_.streams.move_exit(call, item.is_final_exit)) return;
    needs_room |= stages_.streams.end_moved_exits(call.time_ns);
  }
  if (stages_.symbols.move_to(call.time_ns)) stages_.filter.use_scratch(scratch);
  stages_.filter.set_record(item);
  if (needs_room) calls.make_room(call);
  // An estimated exit may be some ns before the previous record, but the time of a lane can't go back.
  if (call.time_ns < item.before_ns) notes_.add_time_reversed(item);
  const std::uint64_t time_ns = lane_.clamped(call.time_ns);

  collect_values(item);
  if (call.is_entry())
    calls.entry(time_ns, call.depth, call.address, values_);
  else
    calls.exit(time_ns, call.depth, call.address, values_);
  emit_forks(time_ns);
  calls.resume();
}

// Decodes the values of a call, unless the call is dropped.
void OwnRecords::collect_values(const RecordItem& item) {
  const CallRecord& call = item.call;
  const bool is_dropped = stages_.calls.drops(call);
  values_.clear();
  if (item.has_payload && shared_.shows_values && !is_dropped) {
    if (item.layout != nullptr)
      plan_.payload_decoder->add_values(*item.layout, item.payload, values_);
    else
      note_skipped(item, [&] { return function_of(call); });
  }
  if (!call.is_entry()) return events_.add_to_exit(values_);
  events_.add_to_entry(values_);
  if (is_dropped) return;
  const CallLabel& label = stages_.symbols.call_label(call.address);
  if (label.line != CallLabel::kNoLine) values_.add({shared_.debug.loc(), label.line});
}

// Returns, for example, " of draw@libgui.so" or " of draw@libgui.so, whose module has no .dbg file".
std::string OwnRecords::function_of(const CallRecord& call) const {
  const Names::Label label = names_.label(stages_.symbols.label(call.address));
  const bool has_file = shared_.debug.of(stages_.symbols.at(call.address)) != nullptr;
  return fmt::format(" of {}@{}{}", names_.text(label.name), names_.text(label.category),
                     has_file ? "" : ", whose module has no .dbg file");
}

// ---- Events ----

void OwnRecords::emit_event(const RecordItem& item) {
  const CallRecord& event = item.call;
  latest_event_ns_ = std::max(latest_event_ns_, event.time_ns);
  if (!shared_.shows_events) return;
  const bool needs_room = stages_.streams.emit_before({event.time_ns, Precedence::OwnRecord});
  if (stages_.streams.end_moved_exits(event.time_ns) || needs_room)
    stages_.calls.make_room_for_event(event.time_ns);
  const std::uint64_t time_ns = lane_.clamped(event.time_ns);
  const bool is_of_call = event.address < kFirstUserEvent;
  const bool is_shown = !stages_.calls.inner().leaves_out_event() &&
                        stages_.filter.shows_event(stages_.calls.depth(), is_of_call);
  if (!events_.emit(event.address, time_ns, item.payload, is_shown ? &lane_ : nullptr))
    notes_.add(kEventSkipped, [&] {
      return fmt::format("event {} with {} bytes of data is unknown or too short", event.address,
                         item.payload.size());
    });
  stages_.calls.resume();
}

// ---- Arrows to forked children and new threads ----

void OwnRecords::emit_forks(std::uint64_t time_ns) {
  const auto passed = plan_.forks.upper_bound(notes_.offset());
  for (auto fork = plan_.forks.begin(); fork != passed; fork = plan_.forks.erase(fork))
    stages_.calls.emit_flow(FlowStep::Begin, time_ns, fork->second.flow, fork->second.makes_thread);
}

}  // namespace convert::uftrace
