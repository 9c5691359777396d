#include "converters/uftrace/records/thread_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/model/plain_run.h"
#include "converters/uftrace/note_kinds.h"
#include "converters/uftrace/records/record_notes.h"

namespace convert::uftrace {

ThreadSource::ThreadSource(ThreadPlan plan, Lane& lane, Workshop& workshop, ImportContext& context)
    : plan_(std::move(plan)),
      lane_(lane),
      workshop_(workshop),
      context_(context),
      notes_(context.timeline.new_notes()),
      file_(plan_.path.empty() ? RecordFile() : RecordFile(plan_.path, plan_.keep_open)),
      kernel_gate_(workshop.filters != nullptr && plan_.kernel.inbox != nullptr
                       ? std::make_unique<KernelGate>(*this)
                       : nullptr),
      others_(lane, switches_of_plan(), kernel_of_plan()),
      open_(lane, others_),
      cursor_(file_, plan_.facts, open_, plan_.payloads.get()),
      events_(workshop.events, *plan_.task),
      calls_({.lane = lane,
              .names = context.names,
              .notes = notes_,
              .label_of = [this](std::uint64_t address) { return view_->label(address); },
              .place = [this] { return Place::byte(file_.path(), place_); },
              .shows = call_filter()}) {
  if (workshop.filters != nullptr) start_filtering();
  if (plan_.is_forked) calls_.inherit(std::move(plan_.inherited));
}

Schedule::Context ThreadSource::switches_of_plan() {
  return {.lane = lane_,
          .names = context_.names,
          .notes = notes_,
          .inbox = plan_.switches.inbox,
          .process = plan_.switches.process,
          .thread = plan_.switches.thread,
          .name = plan_.path,
          .lone_outs = std::move(plan_.switches.lone_outs),
          .short_outs = std::move(plan_.switches.short_outs),
          .has_estimated_exits = plan_.switches.has_estimated_exits,
          .on_exit = [this](std::uint64_t time_ns) { calls_.exit_task(time_ns); },
          .on_exec = [this](std::uint64_t time_ns) { exec(time_ns); },
          .shows = [this](bool is_short) { return shows_switch(is_short); }};
}

KernelCalls::Context ThreadSource::kernel_of_plan() {
  return {.lane = lane_,
          .names = context_.names,
          .notes = notes_,
          .inbox = plan_.kernel.inbox,
          .name = plan_.kernel.thread,
          .tracepoints = plan_.kernel.tracepoints,
          .process = plan_.kernel.process,
          .thread = plan_.kernel.thread_id,
          .skips_outside = plan_.kernel.skips_outside,
          .filter = kernel_gate_.get()};
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
    if (source.filtering_) return source.take_filtered(records, offset);
    if (cache->has_lines() || !records.shift.is_none()) return 0;
    const auto decode = [records, &cache = *cache](std::size_t i) {
      const Record record = records[i];
      const std::uint64_t oddity = records.oddity(record);
      if (oddity != 0) return PlainCall{.oddity = oddity};
      const std::uint64_t is_end = RecordWord::Type::get(record.word);
      const std::uint64_t address = record.address();
      const LabelCache::Entry& name = cache.place_of(address);
      return PlainCall{.time_ns = record.time_ns,
                       .key = address,
                       .depth = record.depth(),
                       .label = name.meaning.label,
                       .is_end = is_end,
                       .oddity = (name.address ^ address) & (is_end - 1)};
    };
    return lane.take_run(records.count(), decode);
  }

  bool operator()(const CallRecord& call) const {
    if (source.filtering_) return false;
    if (!call.is_entry()) return lane.try_end(call.time_ns, call.address, call.depth);
    const CallName* const name = cache->find(call.address);
    if (name == nullptr) return false;
    if (name->line != CallName::kNoLine) return source.begin_with_line(call, *name);
    return lane.try_begin(call.time_ns, name->label, call.address, call.depth);
  }
};

// The same where not all calls are shown: stops at those that need a look. What is asked of the filter is
// asked again then.
template <std::endian Order>
std::size_t ThreadSource::take_filtered(PlainRecords<Order> records, std::uint64_t offset) {
  Filtering& filtering = *filtering_;
  const std::size_t count = records.count();
  std::size_t taken = 0;
  for (; taken != count; ++taken) {
    const Record record = records[taken];
    if (records.oddity(record) != 0) break;
    const std::uint64_t address = record.address();
    if (record.type() == RecordType::Exit) {
      const std::size_t depth = record.depth() + records.shift.exit;
      if (!lane_.try_end_left_out(record.time_ns, address, depth) &&
          !lane_.try_end(record.time_ns, address, depth))
        break;
      continue;
    }
    const std::size_t depth = record.depth() - records.shift.entry;
    const Fate* const* const fate = fates_->find(address);
    if (fate == nullptr || !lane_.may_begin(record.time_ns, depth)) break;
    if (*fate != nullptr && (*fate)->has(Setting::Condition)) break;
    const bool is_kept = !filtering.looks_ahead || filtering.verdicts.is_kept(offset + taken * kRecordSize);
    if (!filtering.filter.enter(depth, *fate, is_kept)) {
      lane_.begin_left_out(record.time_ns, address);
      ++filtering.calls;
      continue;
    }
    const CallName* const name = cache_->find(address);
    if (name == nullptr || name->line != CallName::kNoLine) break;
    lane_.try_begin(record.time_ns, name->label, address, depth);
  }
  return taken;
}

bool ThreadSource::pump(const Turn& turn) {
  if (filtering_ && !filtering_->is_scanned && !scan_verdicts()) return true;
  bench_ = &workshop_.benches[turn.worker];
  if (view_) set_view(*view_);
  // A record of 16 bytes takes at most one slot of the lane.
  const std::size_t wanted =
      std::max(turn.budget_bytes / sizeof(Slot) * kRecordSize, RecordCursor::kMinBlock);
  if (bench_->block.size() < wanted) bench_->block.resize(wanted);

  const std::uint64_t start = cursor_.offset(), records = cursor_.records();
  cursor_.read(std::span(bench_->block).first(wanted));
  limits_.gate_ns = turn.gate_ns;
  set_limits();  // new messages may have come
  for (;;) {
    const auto item = cursor_.next(limits_, PlainCalls{*this, lane_, cache_, cursor_.offset()});
    if (!item) break;
    take(*item);
    set_limits();
  }
  context_.stats.add_read(cursor_.offset() - start, cursor_.records() - records);
  if (!cursor_.is_held() && !cursor_.is_done()) return true;
  place_ = cursor_.offset();
  tell_until(turn.gate_ns);
  passed_ns_ = turn.gate_ns;
  if (!cursor_.is_done() || turn.gate_ns != kForever) return true;
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
  if (filtering_) filtering_->item = &item;
  tell_moments(call.time_ns);
  if (!view_ || call.time_ns < view_->from_ns() || call.time_ns >= view_->until_ns())
    enter_view(call.time_ns);
  tell_others(call);
  const std::uint64_t time_ns = in_order(item);

  const bool says_something = !is_left_out(call);
  values_.clear();
  if (item.has_payload && workshop_.shows_values && says_something) {
    if (item.reading)
      plan_.payloads->add_values(call, item.payload, *item.reading, values_);
    else
      note_skipped(item, function_of(call));
  }
  if (call.is_entry()) {
    events_.add_to_entry(values_);
    if (says_something) {
      const CallName name = name_of(call.address);
      if (name.line != CallName::kNoLine) values_.add({workshop_.lines.argument(), name.line});
    }
    calls_.entry(time_ns, call.depth, call.address, values_);
  } else {
    events_.add_to_exit(values_);
    calls_.exit(time_ns, call.depth, call.address, values_);
  }
  if (plan_.fork_flow != 0 && lane_.places() > 0)
    tell_flow(FlowStep::End, time_ns, std::exchange(plan_.fork_flow, 0));
  tell_forks(time_ns);
  others_.resume(time_ns);
}

CallName ThreadSource::name_of(std::uint64_t address) {
  if (const CallName* const known = cache_->find(address)) return *known;
  const CallName name{.label = view_->label(address),
                      .line = workshop_.lines.of(*view_, address).value_or(CallName::kNoLine)};
  cache_->put(address, name);
  return name;
}

// A plain entry of a function whose place in the source is known. False if it does not fit the open calls.
bool ThreadSource::begin_with_line(const CallRecord& call, const CallName& name) {
  if (call.depth != lane_.depth() || call.time_ns < lane_.last_ns() || call.time_ns >= kTimeLimitNs)
    return false;
  values_.clear();
  values_.add({workshop_.lines.argument(), name.line});
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
  const Names::Label label = context_.names.parts(view_->label(call.address));
  return fmt::format(" of {}@{}{}", context_.names.text(label.name), context_.names.text(label.category),
                     workshop_.lines.has_file(*view_, call.address) ? "" : ", which has no .dbg file");
}

void ThreadSource::note_skipped(const RecordItem& item, std::string_view function) {
  note(kPayloadSkipped,
       fmt::format("{} bytes of arguments or return value{}", item.end - item.begin - kRecordSize, function));
}

void ThreadSource::take_event(const RecordItem& item) {
  latest_ns_ = std::max(latest_ns_, item.call.time_ns);
  if (!workshop_.shows_events) return;
  tell_moments(item.call.time_ns);
  tell_others(item.call.time_ns);
  const std::uint64_t time_ns = std::max(item.call.time_ns, lane_.last_ns());
  Lane* const told = shows_event(item.call.address < ThreadEvents::kFirstUserEvent) ? &lane_ : nullptr;
  if (!events_.take(item.call.address, time_ns, item.payload, told))
    note(kEventSkipped,
         fmt::format("event {} with {} bytes of data", item.call.address, item.payload.size()));
  others_.resume(time_ns);
}

// ---- Names and moments ----

void ThreadSource::enter_view(std::uint64_t time_ns) {
  view_ = workshop_.symbolizer.view(*plan_.task, time_ns);
  set_view(*view_);
}

void ThreadSource::set_view(const SymbolView& view) {
  cache_ = &bench_->caches.of(view.epoch());
  if (filtering_) fates_ = &bench_->fates.of(view.epoch());
}

// ---- What is left out ----

void ThreadSource::start_filtering() {
  const FilterTable& table = *workshop_.filters;
  filtering_.emplace(Filtering{.filter = ThreadFilter(table),
                               .looks_ahead = table.looks_ahead(),
                               .is_scanned = !table.looks_ahead() || plan_.path.empty()});
  filtering_->inherited = plan_.inherited;
}

std::function<bool(std::uint64_t, bool)> ThreadSource::call_filter() {
  if (workshop_.filters == nullptr) return {};
  return [this](std::uint64_t address, bool is_recorded) { return shows_call(address, is_recorded); };
}

// True when all verdicts are there. A step at a time; all at once where files must not stay open.
bool ThreadSource::scan_verdicts() {
  Filtering& filtering = *filtering_;
  if (filtering.scan == nullptr)
    filtering.scan = std::make_unique<VerdictScan>(plan_.path, plan_.facts, *plan_.task, plan_.payloads.get(),
                                                   std::move(filtering.inherited), *workshop_.filters,
                                                   workshop_.symbolizer, filtering.verdicts);
  while (filtering.scan->step())
    if (plan_.keep_open) return false;
  filtering.scan.reset();
  filtering.is_scanned = true;
  return true;
}

const Fate* ThreadSource::fate_at(std::uint64_t address) {
  if (const Fate* const* const known = fates_->find(address)) return *known;
  const Fate* const fate = workshop_.filters->fate_of(*view_, address);
  fates_->put(address, fate);
  return fate;
}

// What its calls must be is known when they end.
KernelFilter::Verdict ThreadSource::KernelGate::enter(std::size_t depth, std::uint64_t address) {
  FilterTable& table = *source_.workshop_.filters;
  const Fate* const* const known = fates_.find(address);
  const Fate* const fate = known != nullptr ? *known : table.kernel_fate(address);
  if (known == nullptr) fates_.put(address, fate);
  ThreadFilter& filter = source_.filtering_->filter;
  const bool is_shown = filter.enter(depth, fate, true);
  if (!is_shown) ++source_.filtering_->calls;
  if (fate != nullptr && filter.is_too_small(depth, *fate)) return {is_shown, kForever};
  if (fate != nullptr && fate->has(Setting::Trace)) return {is_shown, 0};
  if (table.has_callers() && (fate == nullptr || !fate->has(Setting::Caller))) return {is_shown, kForever};
  const bool has_time = fate != nullptr && fate->has(Setting::Time);
  return {is_shown, has_time ? fate->actions.time_ns : table.options().time_ns};
}

// A call begins, in all that are open.
bool ThreadSource::shows_call(std::uint64_t address, bool is_recorded) {
  const bool is_shown = enter(filtering_->filter, address, is_recorded);
  if (!is_shown) ++filtering_->calls;
  return is_shown;
}

// Those that no record shows are not too short for anything.
bool ThreadSource::enter(ThreadFilter& filter, std::uint64_t address, bool is_recorded) {
  Filtering& filtering = *filtering_;
  const Fate* const fate = address == 0 ? workshop_.filters->unknown_fate() : fate_at(address);
  const bool is_kept =
      !is_recorded || !filtering.looks_ahead || filtering.verdicts.is_kept(filtering.item->begin);
  const bool meets =
      fate == nullptr || !fate->has(Setting::Condition) || !is_recorded || meets_condition(*fate);
  return filter.enter(lane_.depth(), fate, is_kept, meets);
}

// Whether a call that begins or ends will be seen, or one that ends with it. Own calls alone must be open.
bool ThreadSource::is_seen(const CallRecord& call) {
  if (!workshop_.shows_program) return false;
  if (!filtering_ || !calls_.is_settled()) return true;
  if (!call.is_entry()) return !is_left_out(call);
  if (call.depth != lane_.depth()) return true;
  ThreadFilter trial = filtering_->filter;
  return enter(trial, call.address, true);
}

// Of a function whose argument is never recorded, nothing can be asked.
bool ThreadSource::meets_condition(const Fate& fate) {
  const Condition& condition = *fate.actions.condition;
  const RecordItem& item = *filtering_->item;
  const NameId name = context_.names.intern(condition.argument);
  if (!plan_.payloads->records(item.call, name)) return true;
  if (!item.has_payload || !item.reading) return false;
  const auto number = plan_.payloads->number(item.call, item.payload, *item.reading, name);
  return number && condition.holds(*number);
}

// Whether it is known beforehand that nothing will be said of the call.
bool ThreadSource::is_left_out(const CallRecord& call) {
  if (!filtering_) return false;
  if (!call.is_entry())
    return lane_.depth() == call.depth + 1 && lane_.top_is_left_out() && lane_.top_key() == call.address;
  return call.depth <= lane_.depth() && calls_.is_settled() &&
         filtering_->filter.leaves_out(call.depth, fate_at(call.address));
}

// What was read at a call goes with it.
bool ThreadSource::shows_event_in(std::size_t depth, bool is_of_call) {
  if (!filtering_) return true;
  const bool is_shown = filtering_->filter.shows_event(depth, is_of_call);
  if (!is_shown) ++filtering_->events;
  return is_shown;
}

// In the kernel's calls, too.
bool ThreadSource::shows_switch(bool is_short) {
  if (!filtering_) return true;
  if (!is_short) return shows_event_in(others_.depth_in(open_.depth()), false);
  ++filtering_->events;
  return false;
}

// Where plain runs have to stop: for a moment, other symbols, an arrow, or a stack that is not known.
void ThreadSource::set_limits() {
  const bool needs_a_look = events_.is_waiting() || !view_ || !calls_.is_settled() || plan_.fork_flow != 0;
  limits_.look_ns = needs_a_look ? 0 : std::min(view_->until_ns(), others_.limit_ns());
  if (!plan_.moments.empty()) limits_.look_ns = std::min(limits_.look_ns, plan_.moments.front().time_ns);
  if (!plan_.messages.empty())
    limits_.look_ns = std::min(limits_.look_ns, plan_.messages.front().time_ns + 1);
  limits_.look_offset = plan_.forks.empty() ? RecordCursor::Limits::kNever : plan_.forks.front().entry_offset;
}

// What comes before an own record at this time.
void ThreadSource::tell_others(std::uint64_t time_ns) {
  tell_messages(time_ns);
  others_.tell(time_ns);
}

void ThreadSource::tell_others(const CallRecord& call) {
  tell_messages(call.time_ns);
  others_.tell(call.time_ns, call.is_entry() ? OtherStreams::OwnRecord::Entry : OtherStreams::OwnRecord::Exit,
               [&] { return is_seen(call); });
}

// They are not the thread's own: they say nothing of whether it ran.
void ThreadSource::tell_messages(std::uint64_t before_ns) {
  for (; !plan_.messages.empty() && plan_.messages.front().time_ns < before_ns; plan_.messages.pop_front()) {
    const ExternMessage& message = plan_.messages.front();
    others_.tell_before(message.time_ns + 1);
    if (!shows_event()) continue;
    lane_.instant(std::max(message.time_ns, lane_.last_ns()), context_.names.label("event", "external-data"),
                  {{context_.names.intern("message"), message.text}});
  }
}

// The thread has no record before this time. Its calls end with its own records and switches, whatever
// others say later.
void ThreadSource::tell_until(std::uint64_t gate_ns) {
  for (;;) {
    const std::uint64_t moment_ns = plan_.moments.empty() ? kForever : plan_.moments.front().time_ns;
    const std::uint64_t message_ns = plan_.messages.empty() ? kForever : plan_.messages.front().time_ns;
    if (std::min(moment_ns, message_ns) >= gate_ns) break;
    if (moment_ns > message_ns) {
      others_.tell_before(message_ns + 1);
      if (are_calls_over(message_ns)) end_calls();
      tell_messages(message_ns + 1);
    } else if (cursor_.is_done()) {
      tell_moment_behind_records();
    } else {
      tell_moment();
    }
  }
  others_.tell_before(gate_ns);
}

void ThreadSource::tell_moments(std::uint64_t time_ns) {
  while (!plan_.moments.empty() && plan_.moments.front().time_ns <= time_ns) tell_moment();
}

// The thread's calls end with the last that it did, of which an exec is a part.
bool ThreadSource::are_calls_over(std::uint64_t time_ns) const {
  const auto is_exec = [](const TaskMoment& moment) { return moment.what == TaskMoment::What::Exec; };
  return cursor_.is_done() && time_ns >= plan_.switches.last_ns &&
         std::ranges::none_of(plan_.moments, is_exec);
}

// No record tells that its time is right.
void ThreadSource::tell_moment_behind_records() {
  const TaskMoment& moment = plan_.moments.front();
  const std::uint64_t from_ns = lane_.last_ns() != 0 ? lane_.last_ns() : plan_.facts.begun_ns;
  if (from_ns != 0 && leaps_too_far(from_ns, moment.time_ns, plan_.facts.elapsed_ns)) {
    note(kBadTime, fmt::format("task.txt's time of {} ns is impossible", moment.time_ns));
    plan_.moments.pop_front();
    return;
  }
  if (are_calls_over(moment.time_ns)) end_calls();
  tell_moment();
}

void ThreadSource::tell_moment() {
  const TaskMoment moment = std::move(plan_.moments.front());
  plan_.moments.pop_front();
  tell_others(moment.time_ns);
  const std::uint64_t time_ns = std::max(moment.time_ns, lane_.last_ns());
  tell(moment, time_ns);
  others_.resume(time_ns);
}

void ThreadSource::tell(const TaskMoment& moment, std::uint64_t time_ns) {
  const Arguments path{{context_.names.intern("path"), moment.path}};
  switch (moment.what) {
    case TaskMoment::What::Exec:
      exec(time_ns);
      if (workshop_.shows_program && shows_event())
        lane_.instant(time_ns, context_.names.label("event", "exec"), path);
      break;
    case TaskMoment::What::Dlopen:
      if (workshop_.shows_program && shows_event())
        lane_.instant(time_ns, context_.names.label("event", "dlopen"), path);
      break;
  }
}

// The kernel's own call, execve, goes on where it lies in none of the old program.
void ThreadSource::exec(std::uint64_t time_ns) {
  if (open_.depth() == 0) {
    calls_.start_over();
  } else {
    others_.give_way(time_ns);
    calls_.exec(time_ns);
  }
  if (filtering_) filtering_->filter.start_over();
}

void ThreadSource::tell_forks(std::uint64_t time_ns) {
  for (; !plan_.forks.empty() && plan_.forks.front().entry_offset <= place_; plan_.forks.pop_front())
    tell_flow(FlowStep::Begin, time_ns, plan_.forks.front().flow);
}

// Readers tie a flow to the call around it, or to the last one in it that is over; without a visible one
// there is nothing to tie it to. So where not all calls are shown, an arrow starts in the call that forks or
// nowhere. Where it ends was looked at before (fork_arrows.h).
void ThreadSource::tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow) {
  if (!workshop_.shows_program) return;
  if (filtering_ && step == FlowStep::Begin && (open_.depth() == 0 || lane_.top_is_left_out())) return;
  if (!lane_.top_is_visible()) {
    note(kForkNotDrawn, "no visible call to tie the fork's arrow to");
    return;
  }
  lane_.flow(step, time_ns, context_.names.label("event", "fork"), flow);
}

void ThreadSource::end_calls() {
  if (std::exchange(calls_are_over_, true)) return;
  if (!cursor_.shift().is_none())
    notes_.add(kExitDepth, Place::file(file_.path()), "exits are recorded at the depth of the caller");
  const std::uint64_t time_ns = std::max(latest_ns_, lane_.last_ns());
  others_.finish(time_ns);
  calls_.finish(time_ns);
}

void ThreadSource::finish() {
  end_calls();
  if (filtering_) {
    add_left_out(kCallsLeftOut, filtering_->calls);
    add_left_out(kEventsLeftOut, filtering_->events);
  }
  others_.finish(lane_.last_ns());
  if (workshop_.shows_program && !plan_.ending.empty() && lane_.last_ns() != 0)
    lane_.instant(lane_.last_ns(), context_.names.label("event", plan_.ending));
}

void ThreadSource::add_left_out(const NoteKind& kind, std::uint64_t count) {
  if (count == 0) return;
  const auto describe = [&] { return fmt::format("{}: {}", Place::file(file_.path()).text(), count); };
  notes_.add(kind, describe, count);
}

void ThreadSource::note(const NoteKind& kind, std::string_view problem, std::uint64_t count) {
  notes_.add(
      kind, [&] { return fmt::format("{}: {}", Place::byte(file_.path(), place_).text(), problem); }, count);
}

}  // namespace convert::uftrace
