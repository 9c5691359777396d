#include "converters/model/lanes/lane.h"

#include <cassert>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include "converters/model/reading/input_error.h"

namespace convert {
namespace {

constexpr NameId kUnnamed{};

std::pair<ArgumentRow, ArgumentRow> split(ArgumentRow row, std::size_t count) {
  const auto middle = std::ranges::next(row.begin(), static_cast<std::ptrdiff_t>(count), row.end());
  const auto words = row.words();
  const auto first = static_cast<std::size_t>(middle.word() - words.data());
  return {ArgumentRow(words.first(first)), ArgumentRow(words.subspan(first))};
}

}  // namespace

Lane::Lane(ChunkPool& pool, const LaneOptions& options)
    : options_(options),
      store_(pool),
      short_calls_(options.short_calls == nullptr ? nullptr
                                                  : std::make_unique<LaneShortCalls>(*options.short_calls)) {}

void Lane::refuse_time(std::uint64_t time_ns) const {
  throw BrokenContract(time_ns < last_ns_
                           ? fmt::format("an event at {} ns comes after an event at {} ns", time_ns, last_ns_)
                           : fmt::format("an event at {} ns is too late to be drawn", time_ns));
}

// ---- Calls ----

void Lane::begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments) {
  if (calls().unfiltered_size() >= hot_depth_limit_ ||
      arguments.size() > options_.limits.arguments_per_record) {
    begin_slow(time_ns, label, key, arguments);
    return;
  }
  advance(time_ns);
  open(time_ns, label, key, keep(arguments.words(), arguments.size()));
}

// Begins a call that is too deep, or that is written as a pair.
void Lane::begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments) {
  advance(time_ns);
  if (calls().unfiltered_size() >= options_.max_depth) {
    store_.counters().too_deep.add(label);
    store_.calls().push_released(time_ns, label, key);
    return;
  }
  const std::size_t count = std::min<std::size_t>(arguments.size(), options_.limits.arguments_per_record);
  const auto [of_begin, of_end] = split(arguments.row(), count);
  push(time_ns, EventKind::Begin, label, 0, keep(of_begin.words(), count));
  store_.calls().push_released(time_ns, label, key, of_end);
}

void Lane::end(std::uint64_t time_ns, const Arguments& arguments) {
  if (calls().empty())
    throw BrokenContract(fmt::format("a call ends at {} ns, but no call is open", time_ns));
  if (short_calls_ != nullptr) return end_by_length(time_ns, arguments);
  end_shown(time_ns, arguments);
}

void Lane::end_shown(std::uint64_t time_ns, const Arguments& arguments) {
  const PendingEvent& open = *calls().back().event;
  const std::size_t count = open.argument_count() + arguments.size();
  if (open.kind != EventKind::Open || must_be_pair(open, time_ns, count)) return end_slow(time_ns, arguments);
  advance(time_ns);
  PendingEvent& call = complete(depth() - 1, time_ns);
  if (!store_.skip(call, time_ns)) extend(call, arguments);
}

// Leaves the call out if it is too short. Otherwise, the call gets arguments about the calls that are left
// out inside it.
void Lane::end_by_length(std::uint64_t time_ns, const Arguments& arguments) {
  const std::size_t depth = this->depth() - 1;
  if (calls().top_is_filtered() || calls().unfiltered_size() > options_.max_depth) {
    short_calls_->pass_on(depth);
    return end_shown(time_ns, arguments);
  }
  const PendingEvent& call = *calls().back().event;
  if (call.kind == EventKind::Open && short_calls_->leaves_out(depth, time_ns - call.time_ns)) {
    advance(time_ns);
    if (short_calls_->is_counted(call.time_ns, time_ns))
      short_calls_->leave_out_in_range(
          depth, call.time_ns, time_ns,
          words_of(call, time_ns, arguments.row(), call.argument_count() + arguments.size()), call.label);
    else
      short_calls_->forget(depth);
    return drop(depth);
  }
  const fxt::MissingCalls missing = short_calls_->show(depth);
  if (missing.calls == 0) return end_shown(time_ns, arguments);
  const ShortCallRule& rule = short_calls_->rule();
  with_left_out_.clear();
  with_left_out_.add(arguments.row());
  with_left_out_.add({rule.left_out, missing.calls});
  with_left_out_.add({rule.left_out_ns, missing.time_ns});
  end_shown(time_ns, with_left_out_);
}

void Lane::keep_open() {
  if (short_calls_ != nullptr && depth() != 0) short_calls_->keep(depth() - 1);
}

void Lane::suspend_top(std::size_t count) {
  store_.calls().suspend_top(count);
  if (short_calls_ != nullptr) short_calls_->suspend(depth(), count);
}

void Lane::resume_top() {
  if (short_calls_ != nullptr) short_calls_->resume(depth());
  store_.calls().resume_top();
}

void Lane::end_slow(std::uint64_t time_ns, const Arguments& arguments) {
  advance(time_ns);
  if (calls().top_is_filtered()) return store_.calls().pop_filtered();
  PendingEvent& begin = *calls().back().event;
  store_.calls().pop_released();
  if (calls().unfiltered_size() >= options_.max_depth) return;

  if (time_ns == begin.time_ns) zero_ns_ = time_ns;
  if (begin.kind == EventKind::Open) {
    begin.kind = EventKind::Begin;
  } else if (Arguments& all = store_.calls().end_arguments(depth()); !all.empty()) {
    all.add(arguments.row());
    push(time_ns, EventKind::End, begin.label, 0, keep(all));
    return;
  }
  push(time_ns, EventKind::End, begin.label, 0, keep(arguments));
}

bool Lane::retract(std::size_t depth, std::uint64_t time_ns) {
  if (!calls()[depth].is_pending()) return false;
  advance(time_ns);
  if (short_calls_ != nullptr) short_calls_->remove(depth);
  drop(depth);
  return true;
}

void Lane::drop(std::size_t depth) {
  store_.queue().retract(calls()[depth].event);
  store_.calls().remove(depth);
}

bool Lane::end_earlier(std::size_t depth, std::uint64_t time_ns, const Arguments& arguments) {
  assert(depth < calls().size() && time_ns <= last_ns_);
  // If the call ended earlier, inner calls would move out by one level. A call that was too deep would become
  // visible, but has no event.
  if (calls().unfiltered_size() > options_.max_depth) return false;
  if (!calls()[depth].is_pending() || options_.durations == DurationForm::Pairs) return false;
  const PendingEvent& call = *calls()[depth].event;
  const std::size_t count = call.argument_count() + arguments.size();
  if (call.time_ns >= time_ns || count > options_.limits.arguments_per_record) return false;
  if (short_calls_ != nullptr) {
    short_calls_->keep(depth);
    short_calls_->remove(depth);
  }
  extend(complete(depth, time_ns), arguments);
  return true;
}

bool Lane::rename_top(LabelId label, std::uint64_t key) {
  const std::size_t depth = calls().size() - 1;
  OpenCall& call = store_.calls()[depth];
  call.key = key;
  // A call that is filtered or too deep can have any name, because its name is not shown.
  if (!call.is_pending()) return calls().is_filtered(depth) || depth >= options_.max_depth;
  call.event->label = label;
  return true;
}

bool Lane::annotate_top(NameId name, std::string_view text) {
  if (!calls().back().is_pending()) return false;
  PendingEvent& call = *calls().back().event;
  Arguments all;
  bool is_found = false;
  for (const Argument& argument : call.arguments()) {
    if (argument.name != name) {
      all.add(argument);
      continue;
    }
    is_found = true;
    all.add({name, std::string(argument.text).append(",").append(text)});
  }
  if (!is_found && all.size() == options_.limits.arguments_per_record) return false;
  if (!is_found) all.add({name, text});
  call.block = keep(all);
  return true;
}

// ---- Other events ----

void Lane::instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments) {
  advance(time_ns);
  const std::size_t depth = std::min(calls().unfiltered_size(), options_.max_depth);
  const InstantStack::Form form = instants_.add(time_ns, depth, options_.deepest_instant());
  if (form == InstantStack::Form::TooDeep) {
    store_.counters().too_deep.add(label);
    return;
  }
  zero_ns_ = time_ns;
  if (form == InstantStack::Form::Pair) {
    push(time_ns, EventKind::Begin, label, 0, keep(arguments));
    push(time_ns, EventKind::End, label);
    return;
  }
  push(time_ns, EventKind::Instant, label, 0, keep(arguments));
}

void Lane::counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments) {
  advance(time_ns);
  push(time_ns, EventKind::Counter, label, id, keep(arguments));
}

void Lane::flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id) {
  advance(time_ns);
  zero_ns_ = time_ns;
  push(time_ns, step == FlowStep::Begin ? EventKind::FlowBegin : EventKind::FlowEnd, label, id);
}

void Lane::context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch) {
  push_value(time_ns, EventKind::ContextSwitch, context_switch);
}

void Lane::wakeup(std::uint64_t time_ns, const Wakeup& wakeup) {
  push_value(time_ns, EventKind::Wakeup, wakeup);
}

template <typename T>
void Lane::push_value(std::uint64_t time_ns, EventKind kind, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
  advance(time_ns);
  std::uint64_t* const words = store_.new_block(0, sizeof(T) / sizeof(std::uint64_t));
  std::memcpy(words, &value, sizeof value);
  push(time_ns, kind, {}, 0, words - 1);
}

// The block of a blob has two texts: the name and the bytes of the blob.
void Lane::blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes) {
  advance(time_ns);
  const auto put = [](std::uint64_t* at, const void* data, std::size_t size) {
    *at = PackedHeader::of(kUnnamed, ArgumentKind::Text, size);
    return fxt::put_padded(at + 1, data, size);
  };
  bytes = bytes.first(std::min(bytes.size(), kMaxTextBytes));
  std::uint64_t* const words =
      store_.new_block(2, 2 + fxt::words_of(name.size()) + fxt::words_of(bytes.size()));
  put(put(words, name.data(), name.size()), bytes.data(), bytes.size());
  push(time_ns, EventKind::Blob, {}, 0, words - 1);
}

void Lane::buffer_full(std::uint64_t time_ns) {
  advance(time_ns);
  push(time_ns, EventKind::BufferFull, {});
}

// ---- Memory ----

// Stores the arguments in a new block. Returns null if there are no arguments.
const std::uint64_t* Lane::keep(std::span<const std::uint64_t> words, std::size_t count) {
  if (count == 0) return nullptr;
  std::uint64_t* const block = store_.new_block(count, words.size());
  ArgumentArena::copy(words, block);
  return block - 1;
}

// Does the same as keep() above, but stores only as many arguments as a record can have.
const std::uint64_t* Lane::keep(const Arguments& arguments) {
  const std::size_t count = std::min<std::size_t>(arguments.size(), options_.limits.arguments_per_record);
  store_.counters().cut_arguments += arguments.size() - count;
  if (count == arguments.size()) return keep(arguments.words(), count);
  return keep(split(arguments.row(), count).first.words(), count);
}

void Lane::extend(PendingEvent& call, const Arguments& more) {
  const auto put = [&](std::uint64_t* words) {
    return PackedArguments{ArgumentArena::copy(more.words(), words), more.size()};
  };
  const auto before = call.arguments().words();
  if (more.empty() || put_after(call, more.words().size(), put)) return;
  std::uint64_t* const words =
      store_.new_block(call.argument_count() + more.size(), before.size() + more.words().size());
  put(ArgumentArena::copy(before, words));
  call.block = words - 1;
}

}  // namespace convert
