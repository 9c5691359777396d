#include "converters/uftrace/threads/thread_source.h"

#include <fmt/format.h>
#include <span>
#include <utility>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/threads/fast_calls.h"

namespace convert::uftrace {

ThreadSource::ThreadSource(ThreadPlan& plan, Lane& lane, SharedByThreads& shared, ImportContext& context)
    : plan_(plan),
      lane_(lane),
      shared_(shared),
      context_(context),
      file_(plan_.place.empty() ? InputFile() : InputFile(plan_.place, plan_.keep_open)),
      notes_(context.timeline.new_notes(), plan_.place.text(), plan_.facts.is_growing),
      stages_(plan_, lane, shared, context.names, notes_),
      cursor_(file_, plan_.facts, stages_.calls, plan_.payload_decoder.get()),
      own_records_(plan_, stages_, lane, shared, context.names, notes_) {}

// Returns the earliest time that an event of the lane can have, if the file begins with a call. Otherwise
// returns 0, because the first record may be damage.
std::uint64_t ThreadSource::begin_ns() const {
  const RecordHead& head = plan_.head;
  return head.first_call && head.first_call_offset == plan_.facts.part.begin
             ? std::min(head.first_call->time_ns, stages_.streams.next().time_ns)
             : 0;
}

bool ThreadSource::pump(const PumpBudget& budget) {
  if (!stages_.filter.scan_ahead()) return true;
  if (!std::exchange(has_begun_, true)) skip_to_range();
  WorkerScratch& scratch = shared_.workers[budget.worker];
  stages_.symbols.use_caches(scratch.labels);
  if (plan_.is_forked && stages_.symbols.until_ns() == 0)  // symbols are needed for the inherited calls
    stages_.symbols.move_to(plan_.task->fork_ns.value_or(0));
  stages_.filter.use_scratch(scratch);
  stages_.streams.look_again();
  read_block(budget, scratch);
  if (!cursor_.is_held() && !cursor_.is_done()) return true;
  if (cursor_.is_done() && calls_end_ns_ == kForever) calls_end_ns_ = lane_.last_ns();
  notes_.move_to(cursor_.offset());
  emit_streams_until(budget.delivered_until_ns);
  delivered_until_ns_ = budget.delivered_until_ns;
  if (!cursor_.is_done() || budget.delivered_until_ns != kForever) return true;
  finish();
  return false;
}

// With an index, skips the records before the requested range, except the entries of the calls that are open
// at its start.
void ThreadSource::skip_to_range() {
  const IndexMark* const mark =
      plan_.index == nullptr ? nullptr : plan_.index->before(lane_.store().needed_from_ns());
  if (mark == nullptr) return;
  auto entries = records_of(*mark, file_, plan_.facts);
  if (!entries)
    return notes_.all().add(kIndexIgnored, Location::file(file_.path()), "the index does not fit the file");
  const std::uint64_t skipped = mark->offset - entries->size() - cursor_.offset();
  cursor_.start_at(mark->offset, std::move(*entries));
  context_.stats.add_read(skipped, 0);
  plan_.forks.erase(plan_.forks.begin(), plan_.forks.lower_bound(mark->offset));
}

void ThreadSource::read_block(const PumpBudget& budget, WorkerScratch& scratch) {
  const std::uint64_t start = cursor_.offset(), records = cursor_.records();
  const std::uint64_t left = cursor_.end() - std::min(start, cursor_.end());
  // A record of 16 bytes usually becomes at most one event of the lane.
  const std::size_t most = budget.bytes / sizeof(PendingEvent) * kRecordSize + RecordCursor::kLookahead;
  const std::size_t wanted = std::min<std::uint64_t>(std::max(most, RecordCursor::kMinBlock), left);
  const std::uint64_t end = start + wanted;
  if (scratch.block.size() < wanted) scratch.block.resize(wanted);
  // If a record was held back, the thread may be in the kernel, and this pump may emit only a few records.
  // The next pump then reads the rest of the block again. Therefore, the first block is small.
  std::size_t size = cursor_.is_held() ? RecordCursor::kMinBlock : wanted;
  std::uint64_t block_end = start;
  do {
    block_end = std::min(cursor_.offset() + size, end);
    cursor_.read(std::span(scratch.block).first(block_end - cursor_.offset()));
    emit_block(budget.delivered_until_ns, scratch);
    size *= 2;
  } while (!cursor_.is_held() && block_end < end && cursor_.offset() < end && !cursor_.is_done());
  context_.stats.add_read(cursor_.offset() - start, cursor_.records() - records);
}

void ThreadSource::emit_block(std::uint64_t delivered_until_ns, WorkerScratch& scratch) {
  if (stages_.option_filter != nullptr)
    emit_records(delivered_until_ns, scratch,
                 [&] { return FilteredFastCalls(lane_, stages_.symbols.cache(), *stages_.option_filter); });
  else
    emit_records(delivered_until_ns, scratch, [&] {
      return FastCalls(lane_, stages_.symbols, shared_.debug.loc(),
                       shared_.shows_values ? plan_.payload_decoder.get() : nullptr);
    });
}

// Emits the records of the block. `fast_calls` returns a FastCalls or FilteredFastCalls for the current
// symbols. This object emits the calls of plain records.
template <typename MakeCalls>
void ThreadSource::emit_records(std::uint64_t delivered_until_ns, WorkerScratch& scratch,
                                MakeCalls fast_calls) {
  for (;;) {
    const RecordCursor::Limits limits{.plain_until_ns = own_records_.plain_until_ns(),
                                      .plain_until_offset = own_records_.plain_until_offset(),
                                      .delivered_until_ns = delivered_until_ns};
    const auto item = cursor_.next(limits, fast_calls());
    if (!item) break;
    notes_.add_item(*item, item->end == cursor_.end());
    own_records_.emit(*item, scratch);
  }
}

// ---- The thread has no more records before a time ----

// Emits the events of the side streams until `until_ns`. All records before this time must have been emitted.
// After the last record, open calls end with the last activity of the thread itself.
void ThreadSource::emit_streams_until(std::uint64_t until_ns) {
  SideStreams& streams = stages_.streams;
  if (plan_.skips_outside && plan_.head.first_call && cursor_.is_done() &&
      stages_.calls.inner().program_depth() == 0)
    streams.stop_switches(lane_.last_ns());
  const Due until{until_ns, Precedence::SwitchIn};
  while (streams.next() < until) {
    end_thread_before(streams.next());
    if (!cursor_.is_done() || !streams.drop_impossible_event(plan_.facts, notes_)) streams.emit_first(until);
  }
  end_thread_before(until);
}

// Must be called when all events before `due` have been emitted. Ends the thread if none of its own events
// follows. Messages do not count as its own. Neither does a switch out that is inferred because another
// thread came to the CPU.
void ThreadSource::end_thread_before(const Due& due) {
  if (!cursor_.is_done() || stages_.streams.has_own_listed()) return;
  const auto is_behind = [&](std::uint64_t last_ns) { return due > Due{last_ns, Precedence::Switch}; };
  const SwitchPlan& switches = plan_.switches;
  if (!is_behind(switches.last_ns) || !is_behind(plan_.kernel.last_ns())) return;
  end_calls();
  if (switches.inferred.empty() || is_behind(switches.inferred.back().time_ns))
    stages_.streams.finish(lane_.last_ns());
}

void ThreadSource::end_calls() {
  if (std::exchange(are_calls_over_, true)) return;
  if (!cursor_.shift().is_none())
    notes_.all().add(kExitDepth, Location::file(file_.path()),
                     "exits are recorded at the depth of the caller");
  const std::uint64_t end_ns = lane_.clamped(own_records_.latest_event_ns());
  if (stages_.calls.inner().program_depth() != 0) calls_end_ns_ = end_ns;
  stages_.calls.finish(end_ns);
}

void ThreadSource::finish() {
  end_calls();
  const CallFilter::Dropped dropped = stages_.filter.dropped();
  note_dropped(kCallsLeftOut, dropped.calls);
  note_dropped(kEventsLeftOut, dropped.events);
  shared_.calls_left_out += dropped.calls;
  if (stages_.filter.has_shown_calls()) shared_.has_shown_calls = true;
  stages_.calls.inner().end_kernel(lane_.last_ns());
  stages_.streams.finish(lane_.last_ns());
  shared_.unwritten_switches += stages_.streams.unwritten_switches();
  if (stages_.filter.shows_program() && !plan_.ending.empty() && lane_.last_ns() != 0)
    lane_.instant(lane_.last_ns(), context_.names.intern_label("event", plan_.ending));
}

void ThreadSource::note_dropped(const NoteKind& kind, std::uint64_t count) {
  if (count == 0) return;
  const auto describe = [&] { return fmt::format("{}: {}", Location::file(file_.path()).text(), count); };
  notes_.all().add(kind, describe, count);
}

}  // namespace convert::uftrace
