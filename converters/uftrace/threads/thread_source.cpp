#include "converters/uftrace/threads/thread_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/model/lanes/plain_run.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/records/record_notes.h"

namespace convert::uftrace {

ThreadSource::ThreadSource(ThreadPlan plan, Lane& lane, RecordingContext& shared, ImportContext& context)
    : plan_(std::move(plan)),
      lane_(lane),
      recording_(shared),
      context_(context),
      notes_(context.timeline.new_notes()),
      file_(plan_.path.empty() ? InputFile() : InputFile(plan_.path, plan_.keep_open)),
      symbols_(shared.symbolizer, *plan_.task, &shared.lines),
      filter_(shared.filters != nullptr ? std::make_unique<CallFilter>(*shared.filters, shared.symbolizer,
                                                                       symbols_, context.names, lane, plan_)
                                        : nullptr),
      kernel_filter_(filter_ != nullptr && plan_.kernel.queue != nullptr ? filter_->for_kernel() : nullptr),
      others_(lane, switches_of_plan(),
              {.lane = lane,
               .names = context.names,
               .notes = notes_,
               .plan = std::move(plan_.kernel),
               .filter = kernel_filter_.get()}),
      open_(lane, others_),
      moments_(moments_of_plan(), std::move(plan_.moments), std::move(plan_.messages)),
      cursor_(file_, plan_.facts, open_, plan_.payloads.get()),
      events_(shared.events, *plan_.task),
      calls_({.lane = lane,
              .names = context.names,
              .notes = notes_,
              .label_of = [this](std::uint64_t address) { return symbols_.label(address); },
              .place = [this] { return Location::byte(file_.path(), place_); },
              .shows = call_filter()}) {
  if (plan_.is_forked) calls_.inherit(std::move(plan_.inherited));
}

OffCpuCalls::Context ThreadSource::switches_of_plan() {
  return {.lane = lane_,
          .names = context_.names,
          .notes = notes_,
          .plan = std::move(plan_.switches),
          .name = plan_.path,
          .on_exit = [this](std::uint64_t time_ns) { calls_.exit_task(time_ns); },
          .on_exec = [this](std::uint64_t time_ns) { exec(time_ns); },
          .shows = [this](bool is_short) { return shows_switch(is_short); }};
}

TaskEvents::Context ThreadSource::moments_of_plan() {
  return {.lane = lane_,
          .names = context_.names,
          .notes = notes_,
          .others = others_,
          .facts = plan_.facts,
          .last_switch_ns = plan_.last_switch_ns,
          .shows_program = recording_.shows_program,
          .shows_event = [this] { return shows_event(false); },
          .place = [this] { return Location::byte(file_.path(), place_); },
          .on_exec = [this](std::uint64_t time_ns) { exec(time_ns); },
          .end_calls = [this] { end_calls(); }};
}

std::function<bool(std::uint64_t, bool)> ThreadSource::call_filter() {
  if (filter_ == nullptr) return {};
  return [this](std::uint64_t address, bool is_recorded) { return filter_->enter(address, is_recorded); };
}

// Calls without anything special, on the way from the file to the lane.
struct ThreadSource::PlainCalls {
  ThreadSource& source;
  Lane& lane;
  const LabelCache* cache;  // none before the first call
  std::uint64_t offset;     // of the first of them; each comes right behind the one before

  template <std::endian Order>
  std::size_t take_run(PlainRecords<Order> records) const {
    if (cache == nullptr) return 0;
    if (source.filter_ != nullptr) return source.filter_->take_run(records, offset, *cache);
    if (cache->has_lines() || !records.shift.is_none()) return 0;
    const auto decode = [records, &cache = *cache](std::size_t i) {
      const Record record = records[i];
      const std::uint64_t mismatch = records.mismatch(record);
      if (mismatch != 0) return PlainCall{.mismatch = mismatch};
      const std::uint64_t is_end = RecordWord::Type::get(record.word);
      const std::uint64_t address = record.address();
      const LabelCache::Entry& name = cache.place_of(address);
      return PlainCall{.time_ns = record.time_ns,
                       .key = address,
                       .depth = record.depth(),
                       .label = name.meaning.label,
                       .is_end = is_end,
                       .mismatch = (name.address ^ address) & (is_end - 1)};
    };
    return lane.add_plain_run(records.count(), decode);
  }

  bool operator()(const CallRecord& call) const {
    if (source.filter_ != nullptr) return false;
    if (!call.is_entry()) return lane.try_end(call.time_ns, call.address, call.depth);
    const CallName* const name = cache->find(call.address);
    if (name == nullptr) return false;
    if (name->line != CallName::kNoLine) return source.begin_with_line(call, *name);
    return lane.try_begin(call.time_ns, name->label, call.address, call.depth);
  }
};

bool ThreadSource::pump(const PumpBudget& turn) {
  if (filter_ != nullptr && !filter_->prepare()) return true;
  scratch_ = &recording_.workers[turn.worker];
  symbols_.use_caches(scratch_->labels);
  use_rules();
  // A record of 16 bytes takes at most one slot of the lane.
  const std::size_t wanted =
      std::max(turn.lane_bytes / sizeof(PendingEvent) * kRecordSize, RecordCursor::kMinBlock);
  if (scratch_->block.size() < wanted) scratch_->block.resize(wanted);

  const std::uint64_t start = cursor_.offset(), records = cursor_.records();
  cursor_.read(std::span(scratch_->block).first(wanted));
  limits_.delivered_until_ns = turn.delivered_until_ns;
  set_limits();  // new messages may have come
  for (;;) {
    const auto item = cursor_.next(limits_, PlainCalls{*this, lane_, symbols_.cache(), cursor_.offset()});
    if (!item) break;
    take(*item);
    set_limits();
  }
  context_.stats.add_read(cursor_.offset() - start, cursor_.records() - records);
  if (!cursor_.is_held() && !cursor_.is_done()) return true;
  place_ = cursor_.offset();
  moments_.tell_until(turn.delivered_until_ns, cursor_.is_done());
  passed_ns_ = turn.delivered_until_ns;
  if (!cursor_.is_done() || turn.delivered_until_ns != kForever) return true;
  finish();
  return false;
}

void ThreadSource::take(const RecordItem& item) {
  place_ = item.begin;
  note_item(item, item.end == file_.size(), file_.path(), notes_);
  switch (item.what) {
    case RecordItem::What::Call:
      take_call(item);
      break;
    case RecordItem::What::Event:
      take_event(item);
      break;
    case RecordItem::What::Loss:
      calls_.lost(item.call.address);
      events_.forget();
      break;
    case RecordItem::What::BadTime:
      calls_.interrupted();
      if (item.has_payload) note_skipped(item, "");
      break;
    case RecordItem::What::NotRecords:
    case RecordItem::What::Zeros:
      calls_.interrupted();
      events_.forget();
      break;
    case RecordItem::What::Truncated:
      break;
  }
}

void ThreadSource::take_call(const RecordItem& item) {
  const CallRecord& call = item.call;
  if (filter_ != nullptr) filter_->set_item(item);
  moments_.tell(call.time_ns);
  if (symbols_.move_to(call.time_ns)) use_rules();
  tell_others(call);
  const std::uint64_t time_ns = in_order(item);

  const bool says_something = !is_left_out(call);
  values_.clear();
  if (item.has_payload && recording_.shows_values && says_something) {
    if (item.reading)
      plan_.payloads->add_values(call, item.payload, *item.reading, values_);
    else
      note_skipped(item, function_of(call));
  }
  if (call.is_entry()) {
    events_.add_to_entry(values_);
    if (says_something) {
      const CallName& name = symbols_.name_of(call.address);
      if (name.line != CallName::kNoLine) values_.add({recording_.lines.argument(), name.line});
    }
    calls_.entry(time_ns, call.depth, call.address, values_);
  } else {
    events_.add_to_exit(values_);
    calls_.exit(time_ns, call.depth, call.address, values_);
  }
  if (plan_.fork_flow != 0 && lane_.unfiltered_depth() > 0)
    tell_flow(FlowStep::End, time_ns, std::exchange(plan_.fork_flow, 0));
  tell_forks(time_ns);
  others_.resume(time_ns);
}

// A plain entry of a function whose place in the source is known. False if it does not fit the open calls.
bool ThreadSource::begin_with_line(const CallRecord& call, const CallName& name) {
  if (call.depth != lane_.depth() || call.time_ns < lane_.last_ns() || call.time_ns >= kTimeLimitNs)
    return false;
  values_.clear();
  values_.add({recording_.lines.argument(), name.line});
  lane_.begin(call.time_ns, name.label, call.address, values_);
  return true;
}

// Estimated exits may invert by some ns (section 8.4); a lane can't go back.
std::uint64_t ThreadSource::in_order(const RecordItem& item) {
  const std::uint64_t time_ns = item.call.time_ns;
  if (time_ns < item.before_ns) note_time_went_back(item, file_.path(), notes_);
  return std::max(time_ns, lane_.last_ns());
}

// " of draw@libgui.so", and whether a file tells its types.
std::string ThreadSource::function_of(const CallRecord& call) const {
  const Names::Label label = context_.names.label(symbols_.label(call.address));
  return fmt::format(" of {}@{}{}", context_.names.text(label.name), context_.names.text(label.category),
                     recording_.lines.has_file(symbols_.at(call.address)) ? "" : ", which has no .dbg file");
}

void ThreadSource::note_skipped(const RecordItem& item, std::string_view function) {
  note(kPayloadSkipped,
       fmt::format("{} bytes of arguments or return value{}", item.end - item.begin - kRecordSize, function));
}

void ThreadSource::take_event(const RecordItem& item) {
  latest_ns_ = std::max(latest_ns_, item.call.time_ns);
  if (!recording_.shows_events) return;
  moments_.tell(item.call.time_ns);
  tell_others(item.call.time_ns);
  const std::uint64_t time_ns = std::max(item.call.time_ns, lane_.last_ns());
  Lane* const told = shows_event(item.call.address < ThreadEvents::kFirstUserEvent) ? &lane_ : nullptr;
  if (!events_.take(item.call.address, time_ns, item.payload, told))
    note(kEventSkipped,
         fmt::format("event {} with {} bytes of data", item.call.address, item.payload.size()));
  others_.resume(time_ns);
}

// ---- Names and moments ----

void ThreadSource::use_rules() {
  if (filter_ != nullptr) filter_->use_rules(scratch_->rules.of(symbols_.epoch()));
}

// ---- What is left out ----

// Whether a call that begins or ends will be seen, or one that ends with it. Own calls alone must be open.
bool ThreadSource::is_seen(const CallRecord& call) {
  if (!recording_.shows_program) return false;
  return filter_ == nullptr || !calls_.is_settled() || filter_->will_be_seen(call);
}

// Whether it is known beforehand that nothing will be said of the call.
bool ThreadSource::is_left_out(const CallRecord& call) {
  if (filter_ == nullptr) return false;
  return call.is_entry() ? calls_.is_settled() && filter_->leaves_out(call) : filter_->has_left_out(call);
}

// In the kernel's calls, too.
bool ThreadSource::shows_switch(bool is_short) {
  if (filter_ == nullptr) return true;
  if (!is_short) return filter_->shows_event(others_.depth_in(open_.depth()), false);
  filter_->leave_event_out();
  return false;
}

// Where plain runs have to stop: for a moment, other symbols, an arrow, or a stack that is not known.
void ThreadSource::set_limits() {
  const bool needs_a_look =
      events_.is_waiting() || symbols_.until_ns() == 0 || !calls_.is_settled() || plan_.fork_flow != 0;
  limits_.plain_until_ns =
      needs_a_look ? 0 : std::min({symbols_.until_ns(), others_.limit_ns(), moments_.limit_ns()});
  limits_.plain_until_offset =
      plan_.forks.empty() ? RecordCursor::Limits::kNever : plan_.forks.front().entry_offset;
}

// What comes before an own record at this time.
void ThreadSource::tell_others(std::uint64_t time_ns) {
  moments_.tell_messages(time_ns);
  others_.tell(time_ns);
}

void ThreadSource::tell_others(const CallRecord& call) {
  moments_.tell_messages(call.time_ns);
  others_.tell(call.time_ns, call.is_entry() ? SideStreams::OwnRecord::Entry : SideStreams::OwnRecord::Exit,
               [&] { return is_seen(call); });
}

// The kernel's own call, execve, goes on where it lies in none of the old program.
void ThreadSource::exec(std::uint64_t time_ns) {
  if (open_.depth() == 0) {
    calls_.start_over();
  } else {
    others_.give_way(time_ns);
    calls_.exec(time_ns);
  }
  if (filter_ != nullptr) filter_->start_over();
}

void ThreadSource::tell_forks(std::uint64_t time_ns) {
  for (; !plan_.forks.empty() && plan_.forks.front().entry_offset <= place_; plan_.forks.pop_front())
    tell_flow(FlowStep::Begin, time_ns, plan_.forks.front().flow);
}

// Readers tie a flow to the call around it, or to the last one in it that is over; without a visible one
// there is nothing to tie it to. So where not all calls are shown, an arrow starts in the call that forks or
// nowhere. Where it ends was looked at before (fork_arrows.h).
void ThreadSource::tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow) {
  if (!recording_.shows_program) return;
  if (filter_ != nullptr && step == FlowStep::Begin && (open_.depth() == 0 || lane_.top_is_filtered()))
    return;
  if (!lane_.top_is_visible()) {
    note(kForkNotDrawn, "no visible call to tie the fork's arrow to");
    return;
  }
  lane_.flow(step, time_ns, context_.names.intern_label("event", "fork"), flow);
}

void ThreadSource::end_calls() {
  if (std::exchange(calls_are_over_, true)) return;
  if (!cursor_.shift().is_none())
    notes_.add(kExitDepth, Location::file(file_.path()), "exits are recorded at the depth of the caller");
  const std::uint64_t time_ns = std::max(latest_ns_, lane_.last_ns());
  others_.finish(time_ns);
  calls_.finish(time_ns);
}

void ThreadSource::finish() {
  end_calls();
  if (filter_ != nullptr) {
    add_left_out(kCallsLeftOut, filter_->calls());
    add_left_out(kEventsLeftOut, filter_->events());
  }
  others_.finish(lane_.last_ns());
  if (recording_.shows_program && !plan_.ending.empty() && lane_.last_ns() != 0)
    lane_.instant(lane_.last_ns(), context_.names.intern_label("event", plan_.ending));
}

void ThreadSource::add_left_out(const NoteKind& kind, std::uint64_t count) {
  if (count == 0) return;
  const auto describe = [&] { return fmt::format("{}: {}", Location::file(file_.path()).text(), count); };
  notes_.add(kind, describe, count);
}

void ThreadSource::note(const NoteKind& kind, std::string_view problem, std::uint64_t count) {
  notes_.add(
      kind, [&] { return fmt::format("{}: {}", Location::byte(file_.path(), place_).text(), problem); },
      count);
}

}  // namespace convert::uftrace
