#include "converters/uftrace/records/thread_source.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "converters/model/byte_cursor.h"
#include "converters/uftrace/note_kinds.h"

namespace convert::uftrace {
namespace {

// Slow steps need this much behind a record: the longest payload and some records to recognise what follows.
constexpr std::size_t kLookahead = kMaxPayload + 8 * kRecordSize;
static_assert(kLookahead < 2048, "blocks are at least 4096 bytes, so every block makes progress");

constexpr std::size_t kMinBlock = 4096;

std::size_t padded(std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (bytes + kWord - 1) / kWord * kWord;
}

}  // namespace

ThreadSource::ThreadSource(ThreadPlan plan, Lane& lane, Workshop& workshop, ImportContext& context)
    : plan_(std::move(plan)),
      lane_(lane),
      workshop_(workshop),
      context_(context),
      notes_(context.timeline.new_notes()),
      file_(plan_.path, plan_.keep_open),
      calls_({.lane = lane,
              .names = context.names,
              .notes = notes_,
              .label_of = [this](std::uint64_t address) { return view_->label(address); },
              .place = [this] { return Place::byte(file_.path(), offset_); }}),
      schedule_({.lane = lane,
                 .names = context.names,
                 .notes = notes_,
                 .inbox = plan_.inbox,
                 .process = plan_.process_koid,
                 .thread = plan_.thread_koid,
                 .name = plan_.path,
                 .lone_outs = plan_.lone_outs,
                 .has_estimated_exits = plan_.has_estimated_exits,
                 .on_exit = [this](std::uint64_t time_ns) { calls_.finish(time_ns); },
                 .on_exec = [this](std::uint64_t time_ns) { calls_.exec(time_ns); }}) {
  if (plan_.is_forked) calls_.inherit(std::move(plan_.inherited));
}

std::uint64_t ThreadSource::begun_ns() const {
  if (plan_.task->fork_ns) return *plan_.task->fork_ns;
  return plan_.task->sessions.empty() ? 0 : plan_.task->sessions.front().session->start_ns;
}

std::optional<std::uint64_t> ThreadSource::first_ns() const {
  std::array<std::byte, kLookahead> head;
  const auto bytes = file_.read(0, head);
  const auto anything_is_code = [](std::uint64_t) { return true; };
  for (std::size_t at = 0; bytes.size() - at >= kRecordSize; at += kRecordSize) {
    const Record record = load_record(bytes.data() + at, plan_.order);
    if (record.has_magic() && record.type() != RecordType::Lost && record.time_ns != 0 &&
        !is_time_damaged(record, {.begun_ns = begun_ns(),
                                  .behind = bytes.subspan(at + kRecordSize),
                                  .order = plan_.order,
                                  .is_code = anything_is_code,
                                  .elapsed_ns = plan_.elapsed_ns}))
      return record.time_ns;
  }
  return std::nullopt;
}

bool ThreadSource::pump(const Turn& turn) {
  // A record of 16 bytes takes at most one slot of the lane.
  const std::size_t wanted = std::max(turn.budget_bytes / sizeof(Slot) * kRecordSize, kMinBlock);
  bench_ = &workshop_.benches[turn.worker];
  if (bench_->block.size() < wanted) bench_->block.resize(wanted);
  const auto bytes = file_.read(offset_, std::span(bench_->block).first(wanted));
  const bool at_end = offset_ + bytes.size() == file_.size();

  if (view_) cache_ = &bench_->caches.of(view_->epoch());
  const std::uint64_t start = offset_;
  records_ = 0;
  gate_ns_ = turn.gate_ns;
  at_gate_ = false;
  const std::size_t taken = decode(bytes, at_end);
  offset_ = start + taken;
  context_.stats.add_read(taken, records_);
  frontier_ns_ = 0;
  if (!at_end && !at_gate_) return true;
  schedule_.tell_before(gate_ns_);
  frontier_ns_ = gate_ns_;
  if (at_gate_ || gate_ns_ != kForever) return true;
  finish();
  return false;
}

// Takes whole records until the block is over; what is left needs more of the file.
std::size_t ThreadSource::decode(std::span<const std::byte> bytes, bool at_end) {
  const std::uint64_t start = offset_;
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (calls_.is_settled() && damaged_bytes_ == 0) {
      auto plain = bytes.subspan(at);
      if (!plan_.forks.empty() && plan_.forks.front().entry_offset >= start + at)
        plain =
            plain.first(std::min<std::uint64_t>(plain.size(), plan_.forks.front().entry_offset - start - at));
      at += plan_.order == std::endian::little ? decode_plain<std::endian::little>(plain)
                                               : decode_plain<std::endian::big>(plain);
      if (at == bytes.size()) break;
    }
    offset_ = start + at;
    if (!at_end && bytes.size() - at < kLookahead) break;
    at += step(bytes.subspan(at), at_end);
    if (at_gate_) break;
  }
  return at;
}

// A whole run of records that need no care. Stops at the first one that does (a payload, an event, a loss, a
// wrong magic, a time or depth out of line, a new address), so that step() takes it.
template <std::endian Order>
std::size_t ThreadSource::decode_plain(std::span<const std::byte> bytes) {
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size() / kRecordSize * kRecordSize;
  const std::uint64_t limit_ns = std::min({limit_ns_, gate_ns_, schedule_.limit_ns()});
  const LabelCache& cache = *cache_;
  for (; at != end; at += kRecordSize) {
    const Record record = load_record<Order>(at);
    if ((record.word & kPlainMask) != kPlainPattern || record.time_ns >= limit_ns) break;
    const std::uint64_t address = record.address();
    if (record.type() == RecordType::Entry) {
      const LabelId* label = cache.find(address);
      if (label == nullptr || !lane_.try_begin(record.time_ns, *label, address, record.depth())) break;
    } else if (!lane_.try_end(record.time_ns, address, record.depth())) {
      break;
    }
  }
  const auto taken = static_cast<std::size_t>(at - bytes.data());
  records_ += taken / kRecordSize;
  if (taken != 0) seen_ns_ = lane_.last_ns();
  return taken;
}

std::size_t ThreadSource::step(std::span<const std::byte> bytes, bool at_end) {
  if (bytes.size() < kRecordSize) {
    note(kTruncatedTail,
         fmt::format("truncated: a record needs {} bytes, {} left", kRecordSize, bytes.size()), bytes.size());
    return bytes.size();
  }
  const Record record = load_record(bytes.data(), plan_.order);
  if (!record.has_magic()) return skip_damage(bytes, at_end);
  if (record.type() != RecordType::Lost && record.time_ns >= gate_ns_) {
    at_gate_ = true;
    return 0;
  }
  note_zeros(kZeroFilled);
  if (damaged_bytes_ != 0) {
    note_damage(fmt::format("+{:#x}", offset_));
    calls_.interrupted();
  }
  ++records_;
  return kRecordSize + take_record(record, bytes.subspan(kRecordSize), at_end);
}

// Takes a record with its magic right; gives the bytes taken behind it.
std::size_t ThreadSource::take_record(const Record& record, std::span<const std::byte> behind, bool at_end) {
  if (record.type() == RecordType::Lost) {
    calls_.lost(record.address());
    return 0;
  }
  if (is_time_damaged(record, {.last_ns = seen_ns_,
                               .begun_ns = begun_ns(),
                               .behind = behind,
                               .order = plan_.order,
                               .is_code = expectation().is_code,
                               .elapsed_ns = plan_.elapsed_ns})) {
    note(kBadTime, fmt::format("a record time of {} ns is impossible here", record.time_ns));
    calls_.interrupted();
    return record.has_payload() ? skip_payload(behind, at_end, expectation_after(record)) : 0;
  }
  if (record.type() == RecordType::Event) return skip_event(record, behind, at_end);

  tell_moments(record.time_ns);
  if (!view_ || record.time_ns < view_->from_ns() || record.time_ns >= view_->until_ns())
    enter_view(record.time_ns);
  schedule_.tell(record.time_ns,
                 record.type() == RecordType::Exit ? Schedule::OwnRecord::Exit : Schedule::OwnRecord::Other);
  const std::uint64_t time_ns = in_order(record.time_ns);
  take_call(record, time_ns);
  schedule_.resume(time_ns);
  tell_forks(time_ns);
  set_limit();
  return record.has_payload() ? skip_payload(behind, at_end, expectation()) : 0;
}

void ThreadSource::take_call(const Record& record, std::uint64_t time_ns) {
  const std::uint64_t address = record.address();
  const bool is_entry = record.type() == RecordType::Entry;
  // Undo the overflow of a depth beyond 1023 into the address (section 8.3): only our own count tells.
  const std::size_t likely = is_entry ? lane_.depth() : lane_.depth() - 1;
  const bool has_wrapped = lane_.depth() >= kDepthModulus && likely >= kDepthModulus &&
                           (plan_.max_stack == 0 || plan_.max_stack > kDepthModulus) &&
                           record.depth() == likely % kDepthModulus;
  const std::size_t depth = has_wrapped ? likely : record.depth();
  const std::uint64_t true_address = has_wrapped ? address - likely / kDepthModulus : address;

  if (is_entry) {
    calls_.entry(time_ns, depth, true_address);
    cache_->put(true_address, view_->label(true_address));
  } else {
    calls_.exit(time_ns, depth, true_address);
  }
  if (plan_.fork_flow != 0 && lane_.depth() > 0) {
    tell_flow(FlowStep::End, time_ns, plan_.fork_flow);
    plan_.fork_flow = 0;
  }
}

// Estimated exits may invert by some ns (section 8.4); a lane can't go back.
std::uint64_t ThreadSource::in_order(std::uint64_t time_ns) {
  if (time_ns < seen_ns_)
    note(kTimeWentBack, fmt::format("the record's time is {} ns before the last one", seen_ns_ - time_ns));
  seen_ns_ = std::max(seen_ns_, time_ns);
  return std::max(time_ns, lane_.last_ns());
}

// ---- What is not shown yet, or can't be read ----

std::size_t ThreadSource::skip_payload(std::span<const std::byte> behind, bool at_end,
                                       const Expectation& expected) {
  const auto found = find_behind_payload(behind, plan_.order, at_end, expected);
  note(kPayloadSkipped, fmt::format("arguments or return value of {} bytes",
                                    found ? std::to_string(*found) : std::string("unknown")));
  return found.value_or(0);
}

std::size_t ThreadSource::skip_event(const Record& record, std::span<const std::byte> behind, bool at_end) {
  latest_ns_ = std::max(latest_ns_, record.time_ns);
  note(kEventSkipped, fmt::format("event {}", record.address()));
  if (!record.has_payload()) return 0;
  if (behind.size() < sizeof(std::uint64_t)) return skip_payload(behind, at_end, expectation());
  ByteCursor in(behind, file_.path(), plan_.order, offset_ + kRecordSize);
  const std::size_t size = padded(sizeof(std::uint16_t) + in.read<std::uint16_t>("event length"));
  if (size > kMaxPayload) return skip_payload(behind, at_end, expectation());
  if (size <= behind.size()) return size;
  note(kTruncatedTail, fmt::format("truncated: the event needs {} bytes, {} left", size, behind.size()),
       behind.size());
  return behind.size();
}

std::size_t ThreadSource::skip_damage(std::span<const std::byte> bytes, bool at_end) {
  const std::size_t zeros = count_zero_bytes(bytes);
  std::size_t skipped = zeros;
  if (zeros == 0) {
    const auto found = find_behind_damage(bytes, plan_.order, expectation());
    // Without a find, all but the last bytes are surely damaged: a record may start in those.
    skipped = found    ? *found
              : at_end ? bytes.size()
                       : bytes.size() - 2 * kRecordSize - bytes.size() % sizeof(std::uint64_t);
  }
  if (zeros != 0) {
    if (zero_bytes_ == 0) zeros_from_ = offset_;
    zero_bytes_ += skipped;
    calls_.interrupted();
  } else {
    note_zeros(kZeroFilled);
    if (damaged_bytes_ == 0) damaged_from_ = offset_;
    damaged_bytes_ += skipped;
  }
  return skipped;
}

Expectation ThreadSource::expectation() const {
  return {.time_ns = seen_ns_,
          .depth = lane_.depth(),
          .top_address = lane_.depth() == 0 ? 0 : lane_.top_key(),
          .is_code = [this](std::uint64_t address) { return !view_ || view_->is_code(address); }};
}

// When a record was dropped whose time is wrong, but not the rest of it.
Expectation ThreadSource::expectation_after(const Record& dropped) const {
  const bool is_entry = dropped.type() == RecordType::Entry;
  Expectation expected = expectation();
  expected.depth = dropped.depth() + (is_entry ? 1 : 0);
  expected.top_address = is_entry ? dropped.address() : 0;
  return expected;
}

// ---- Names and moments ----

void ThreadSource::enter_view(std::uint64_t time_ns) {
  view_ = workshop_.symbolizer.view(*plan_.task, time_ns);
  cache_ = &bench_->caches.of(view_->epoch());
}

// Where the plain run has to stop for a moment, for other symbols, or for a jump in time that may be damage.
void ThreadSource::set_limit() {
  limit_ns_ = std::min({view_->until_ns(), kTimeLimitNs, seen_ns_ + kExaminedGapNs});
  if (!plan_.moments.empty()) limit_ns_ = std::min(limit_ns_, plan_.moments.front().time_ns);
}

void ThreadSource::tell_moments(std::uint64_t time_ns) {
  while (!plan_.moments.empty() && plan_.moments.front().time_ns <= time_ns) {
    schedule_.tell(plan_.moments.front().time_ns, Schedule::OwnRecord::Other);
    tell(plan_.moments.front(), std::max(plan_.moments.front().time_ns, lane_.last_ns()));
    plan_.moments.pop_front();
  }
}

void ThreadSource::tell(const TaskMoment& moment, std::uint64_t time_ns) {
  const auto path_argument = [&] { return Arguments{{context_.names.intern("path"), moment.path}}; };
  switch (moment.what) {
    case TaskMoment::What::Exec:
      calls_.exec(time_ns);
      lane_.instant(time_ns, context_.names.label("event", "exec"), path_argument());
      break;
    case TaskMoment::What::Dlopen:
      lane_.instant(time_ns, context_.names.label("event", "dlopen"), path_argument());
      break;
  }
}

void ThreadSource::tell_forks(std::uint64_t time_ns) {
  for (; !plan_.forks.empty() && plan_.forks.front().entry_offset <= offset_; plan_.forks.pop_front())
    tell_flow(FlowStep::Begin, time_ns, plan_.forks.front().flow);
}

// Readers tie a flow to the call around it; without a visible one there is nothing to tie it to.
void ThreadSource::tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow) {
  if (!lane_.top_is_visible()) {
    note(kForkNotDrawn, "no visible call to tie the fork's arrow to");
    return;
  }
  lane_.flow(step, time_ns, context_.names.label("event", "fork"), flow);
}

void ThreadSource::finish() {
  if (damaged_bytes_ != 0) note_damage("the end of the file");
  note_zeros(kTruncatedTail);
  calls_.finish(std::max(latest_ns_, lane_.last_ns()));
  // Moments after the last record belong to no call any more.
  for (const TaskMoment& moment : plan_.moments) {
    if (leaps_too_far(lane_.last_ns(), moment.time_ns, plan_.elapsed_ns))
      note(kBadTime, fmt::format("task.txt's time of {} ns is impossible", moment.time_ns));
    else
      tell(moment, std::max(moment.time_ns, lane_.last_ns()));
  }
  plan_.moments.clear();
}

void ThreadSource::note_damage(std::string_view end) {
  notes_.add(
      kDamagedBytes,
      [&] {
        return fmt::format("{}: not records, up to {}", Place::byte(file_.path(), damaged_from_).text(), end);
      },
      std::exchange(damaged_bytes_, 0));
}

void ThreadSource::note_zeros(const NoteKind& kind) {
  if (zero_bytes_ == 0) return;
  notes_.add(
      kind,
      [&] {
        return fmt::format("{}: zeros instead of records", Place::byte(file_.path(), zeros_from_).text());
      },
      std::exchange(zero_bytes_, 0));
}

void ThreadSource::note(const NoteKind& kind, std::string_view problem, std::uint64_t count) const {
  notes_.add(
      kind, [&] { return fmt::format("{}: {}", Place::byte(file_.path(), offset_).text(), problem); }, count);
}

}  // namespace convert::uftrace
