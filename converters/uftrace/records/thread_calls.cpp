#include "converters/uftrace/records/thread_calls.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// The key of a call that must be open, but of which no record was seen.
constexpr std::uint64_t kUnknownAddress = 0;

// How many calls may be drawn that no record shows: plenty for real gaps, but a few bytes of damage must not
// become gigabytes of calls. So many at once, and so many more for every record.
constexpr std::size_t kInferredBudget = 8192;
constexpr std::size_t kInferredPerRecord = 2;

constexpr std::array<std::string_view, 6> kSetjmpNames{"setjmp",    "_setjmp",     "__setjmp",
                                                       "sigsetjmp", "__sigsetjmp", "_sigsetjmp"};

std::string calls_are(std::size_t count) {
  return count == 1 ? "1 call is" : fmt::format("{} calls are", count);
}
std::string calls_were(std::size_t count) {
  return count == 1 ? "1 call was" : fmt::format("{} calls were", count);
}

}  // namespace

ThreadCalls::ThreadCalls(Context context)
    : context_(std::move(context)),
      lane_(&context_.lane),
      inferred_budget_(kInferredBudget),
      repaired_(context_.names.intern("repaired")),
      repaired_end_(context_.names.intern("repaired_end")),
      count_(context_.names.intern("count")),
      unknown_(context_.names.intern_label("[unknown]", "<unknown>")),
      records_lost_(context_.names.intern_label("event", "records lost")) {}

void ThreadCalls::inherit(std::vector<std::uint64_t> addresses) {
  is_forked_ = true;
  inherited_ = std::move(addresses);
}

void ThreadCalls::note(const NoteKind& kind, std::string_view problem, std::uint64_t count) {
  context_.notes.add(
      kind, [&] { return fmt::format("{}: {}", context_.place().text(), problem); }, count);
}

bool ThreadCalls::is_setjmp(std::uint64_t address) const {
  const auto label = context_.names.label(context_.label_of(address));
  return std::ranges::find(kSetjmpNames, context_.names.text(label.name)) != kSetjmpNames.end();
}

// ---- Where the stream is whole ----

void ThreadCalls::entry(std::uint64_t time_ns, std::size_t depth, std::uint64_t address,
                        const Arguments& values) {
  if (!may_infer(depth, depth)) return;
  settle(time_ns, depth, nullptr);
  if (depth < lane_->depth()) {
    note(kExitMissing, fmt::format("an entry at depth {}, but {} open", depth, calls_are(lane_->depth())),
         lane_->depth() - depth);
    close_down_to(depth, time_ns, kExitMissing);
  } else if (depth > lane_->depth()) {
    note(kEntryMissing, fmt::format("an entry at depth {}, but {} open", depth, calls_are(lane_->depth())),
         depth - lane_->depth());
    while (lane_->depth() < depth) open_inferred(time_ns, kUnknownAddress, kEntryMissing);
  }
  begin(time_ns, address, true, values);
}

void ThreadCalls::begin(std::uint64_t time_ns, std::uint64_t address, bool is_recorded,
                        const Arguments& values) {
  if (context_.shows && !context_.shows(address, is_recorded))
    lane_->begin_filtered(time_ns, address);
  else
    lane_->begin(time_ns, address == kUnknownAddress ? unknown_ : context_.label_of(address), address,
                 values);
}

void ThreadCalls::exit(std::uint64_t time_ns, std::size_t depth, std::uint64_t address,
                       const Arguments& values) {
  if (!may_infer(depth + 1, depth)) return;
  settle(time_ns, depth + 1, &address);
  const std::size_t open = lane_->depth();
  const bool is_of_frame =
      depth < open && (lane_->key_at(depth) == address || lane_->key_at(depth) == kUnknownAddress);
  if (is_of_frame && depth + 1 == open) {
    end_top(time_ns, address, values);
  } else if (is_of_frame) {
    note(kExitMissing, fmt::format("an exit at depth {}, but {} open", depth, calls_are(open)),
         open - depth - 1);
    close_down_to(depth + 1, time_ns, kExitMissing);
    end_top(time_ns, address, values);
  } else if (depth <= open && is_setjmp(address)) {
    // setjmp returns a second time: what was called since then is over.
    note(kLongjmp, fmt::format("a second return of setjmp at depth {}", depth));
    close_down_to(depth, time_ns, kLongjmp);
  } else if (depth < open) {
    note(kAddressMismatch, fmt::format("an exit of {:x} at depth {}, where {:x} was entered", address, depth,
                                       lane_->key_at(depth)));
    close_down_to(depth, time_ns, kAddressMismatch);
  } else {
    note(kExitWithoutEntry, fmt::format("an exit at depth {}, but {} open", depth, calls_are(open)),
         depth + 1 - open);
    while (lane_->depth() < depth) open_inferred(time_ns, kUnknownAddress, kExitWithoutEntry);
    open_inferred(time_ns, address, kExitWithoutEntry);
    end_top(time_ns, address, values);
  }
}

// ---- Where it is not ----

void ThreadCalls::lost(std::uint64_t count) {
  untold_losses_ += count;
  if (lane_->last_ns() != 0 && gap_ == Gap::None) tell_losses(lane_->last_ns());
  interrupted();
}

// A LOST record has no time of its own: it stands at the last one before it. Further ones of the same gap,
// and those before the first time, are told as one.
void ThreadCalls::tell_losses(std::uint64_t time_ns) {
  if (untold_losses_ == 0) return;
  lane_->instant(time_ns, records_lost_, {{count_, std::exchange(untold_losses_, 0)}});
  lane_->buffer_full(time_ns);
}

// At the first record, and at the first after a gap, `open` calls are open; an exit names the innermost.
void ThreadCalls::settle(std::uint64_t time_ns, std::size_t open, const std::uint64_t* exit_address) {
  if (gap_ == Gap::None) return;
  const Gap gap = std::exchange(gap_, Gap::None);
  tell_losses(lane_->last_ns() != 0 ? lane_->last_ns() : time_ns);

  if (gap == Gap::Start) {
    if (open == 0) return;
    const NoteKind& kind = is_forked_                ? kInheritedCall
                           : exit_address != nullptr ? kExitWithoutEntry
                                                     : kEntryMissing;
    note(kind, fmt::format("{} open before the first record", calls_were(open)), open);
    inherited_.resize(open, kUnknownAddress);
    if (exit_address != nullptr) inherited_.back() = *exit_address;
    for (const std::uint64_t address : inherited_) open_inferred(time_ns, address, kind);
    return;
  }

  std::size_t kept = std::min(open, lane_->depth());
  if (exit_address != nullptr && kept == open && lane_->key_at(kept - 1) != *exit_address &&
      lane_->key_at(kept - 1) != kUnknownAddress)
    --kept;
  const std::size_t changed = lane_->depth() - kept + open - kept;
  if (changed == 0) return;
  note(kCutByLoss,
       fmt::format("in the gap before this record, calls that ended: {}, that began: {}",
                   lane_->depth() - kept, open - kept),
       changed);
  close_down_to(kept, lane_->last_ns(), kCutByLoss);
  while (lane_->depth() < open) {
    const bool is_named = exit_address != nullptr && lane_->depth() + 1 == open;
    open_inferred(time_ns, is_named ? *exit_address : kUnknownAddress, kCutByLoss);
  }
}

// Takes a record's share of the allowance into account. False, with a note, if the record would need more.
bool ThreadCalls::may_infer(std::size_t open, std::size_t depth) {
  const std::size_t needed = open > lane_->depth() ? open - lane_->depth() : 0;
  inferred_budget_ = std::min(inferred_budget_ + kInferredPerRecord, kInferredBudget);
  if (needed > inferred_budget_) {
    note(kBadDepth, fmt::format("a record at depth {}, but {} open", depth, calls_are(lane_->depth())));
    return false;
  }
  inferred_budget_ -= needed;
  return true;
}

void ThreadCalls::open_inferred(std::uint64_t time_ns, std::uint64_t address, const NoteKind& kind) {
  while (!inferred_.empty() && inferred_.back().depth >= lane_->depth()) inferred_.pop_back();
  inferred_.push_back({lane_->depth(), address});
  begin(time_ns, address, false, {{repaired_, std::string(kind.name)}});
}

void ThreadCalls::end_top(std::uint64_t time_ns, std::uint64_t address, const Arguments& values) {
  if (lane_->top_key() == kUnknownAddress && !lane_->top_is_filtered())
    lane_->rename(lane_->depth() - 1, context_.label_of(address), address);
  lane_->end(time_ns, values);
}

void ThreadCalls::close_top(std::uint64_t time_ns, const NoteKind& kind) {
  if (lane_->annotate_top(repaired_, kind.name))
    lane_->end(time_ns);
  else
    lane_->end(time_ns, {{was_inferred() ? repaired_end_ : repaired_, std::string(kind.name)}});
}

// Whether the begin of the innermost call says that it was repaired: a begin and its end must not have
// arguments of one name.
bool ThreadCalls::was_inferred() {
  const std::size_t depth = lane_->depth() - 1;
  while (!inferred_.empty() && inferred_.back().depth > depth) inferred_.pop_back();
  return !inferred_.empty() && inferred_.back().depth == depth &&
         inferred_.back().address == lane_->top_key();
}

void ThreadCalls::close_down_to(std::size_t depth, std::uint64_t time_ns, const NoteKind& kind) {
  while (lane_->depth() > depth) close_top(time_ns, kind);
}

void ThreadCalls::exec(std::uint64_t time_ns) {
  if (lane_->depth() > 0)
    note(kClosedByExec, fmt::format("{} open when the program was replaced", calls_were(lane_->depth())),
         lane_->depth());
  close_down_to(0, time_ns, kClosedByExec);
  start_over();
}

// The new image starts with an empty stack; nothing of the parent is left.
void ThreadCalls::start_over() {
  inherited_.clear();
  is_forked_ = false;
}

void ThreadCalls::exit_task(std::uint64_t time_ns) {
  finish(time_ns);
  inherited_.clear();
  is_forked_ = false;
  gap_ = Gap::Start;
}

void ThreadCalls::finish(std::uint64_t time_ns) {
  if (lane_->last_ns() != 0) tell_losses(lane_->last_ns());  // else nothing tells when it was
  if (lane_->depth() > 0)
    note(kOpenAtEnd, fmt::format("{} open at the last record", calls_are(lane_->depth())), lane_->depth());
  close_down_to(0, time_ns, kOpenAtEnd);
}

}  // namespace convert::uftrace
