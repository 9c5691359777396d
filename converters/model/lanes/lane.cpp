#include "converters/model/lanes/lane.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

namespace convert {
namespace {

constexpr NameId kUnnamed{};

// The first `count` arguments of a row, and what follows them.
std::pair<ArgumentRow, ArgumentRow> split(ArgumentRow row, std::size_t count) {
  const auto middle = std::ranges::next(row.begin(), static_cast<std::ptrdiff_t>(count), row.end());
  const auto words = row.words();
  const auto first = static_cast<std::size_t>(middle.word() - words.data());
  return {ArgumentRow(words.first(first)), ArgumentRow(words.subspan(first))};
}

}  // namespace

// ---- Filling ----

void Lane::begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments) {
  if (places() >= hot_depth_limit_ || arguments.size() > kArgumentsPerRecord) {
    begin_apart(time_ns, label, key, arguments);
    return;
  }
  advance(time_ns);
  const std::uint64_t* const run = keep(arguments.words(), arguments.size());
  frames_.push(push(time_ns, EventKind::Open, label, 0, run), key);
}

// TooDeepCount, or said as a pair at once.
void Lane::begin_apart(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments) {
  advance(time_ns);
  if (places() >= options_.max_depth) {
    hidden_.add(label);
    frames_.push_said(time_ns, label, key);
    return;
  }
  const auto [shown, rest] = split(arguments.row(), kArgumentsPerRecord);
  const std::size_t count = std::min(arguments.size(), kArgumentsPerRecord);
  push(time_ns, EventKind::Begin, label, 0, keep(shown.words(), count));
  frames_.push_said(time_ns, label, key, arguments.size() - count);
  if (!rest.empty()) rests_.emplace_back().add(rest);
}

void Lane::end(std::uint64_t time_ns, const Arguments& arguments) {
  assert(!frames_.empty());
  PendingEvent& begin = *frames_.back().slot;
  // A complete event takes its end's arguments too, as long as one record holds them all.
  const std::size_t count = begin.argument_count() + arguments.size();
  if (begin.kind != EventKind::Open || time_ns == begin.time_ns || time_ns == zero_ns_ ||
      count > kArgumentsPerRecord) {
    end_apart(time_ns, arguments);
    return;
  }
  advance(time_ns);
  frames_.pop();
  begin.end_ns = time_ns;
  begin.kind = EventKind::Complete;
  if (time_ns < needed_from_ns_ && pass_over(begin)) return;
  if (!arguments.empty()) begin.run = longer(begin, arguments, count);
}

// Takes back a call that is over, and its arguments. False if something was said since, or it is the first.
bool Lane::pass_over(const PendingEvent& complete) {
  if (&complete + 1 != write_ || &complete == first_) return false;
  if (complete.run != nullptr && !runs_.take_back(complete.run)) return false;
  --write_;
  ++passed_over_;
  return true;
}

// A call that is left out or hidden, or a pair.
void Lane::end_apart(std::uint64_t time_ns, const Arguments& arguments) {
  advance(time_ns);
  if (top_is_filtered()) return pop_filtered();
  PendingEvent& begin = *frames_.back().slot;
  frames_.pop();
  first_waiting_ = std::min(first_waiting_, frames_.size());
  if (places() >= options_.max_depth) return;  // hidden

  if (time_ns == begin.time_ns) zero_ns_ = time_ns;
  if (begin.kind == EventKind::Open) {
    begin.kind = EventKind::Begin;
  } else if (OpenCallStack::rest_of(begin) != 0) {
    Arguments all = std::move(rests_.back());
    rests_.pop_back();
    all.add(arguments.row());
    push(time_ns, EventKind::End, begin.label, 0, keep(all));
    return;
  }
  push(time_ns, EventKind::End, begin.label, 0, keep(arguments));
}

bool Lane::leave_out(std::size_t depth, std::uint64_t time_ns) {
  if (!frames_[depth].waits()) return false;
  advance(time_ns);
  PendingEvent* const slot = frames_[depth].slot;
  frames_.remove(depth);
  if (slot + 1 == write_) {
    --write_;
  } else {
    slot->kind = EventKind::LeftOut;
    ++holes_;
  }
  return true;
}

bool Lane::end_below_top(const Arguments& arguments) {
  assert(frames_.size() >= 2);
  const OpenCall& below = frames_[frames_.size() - 2];
  const std::uint64_t time_ns = frames_.back().slot->time_ns;
  const bool is_hidden = places() > options_.max_depth;  // what is not hidden must not become so
  if (is_hidden || !below.waits() || below.slot->time_ns == time_ns) return false;
  PendingEvent& begin = *below.slot;
  const std::size_t count = begin.argument_count() + arguments.size();
  if (count > kArgumentsPerRecord) return false;
  begin.end_ns = time_ns;
  begin.kind = EventKind::Complete;
  if (!arguments.empty()) begin.run = longer(begin, arguments, count);
  frames_.remove(frames_.size() - 2);
  return true;
}

bool Lane::rename(std::size_t depth, LabelId label, std::uint64_t key) {
  OpenCall& frame = frames_[depth];
  frame.key = key;
  // Nobody sees the name of a call that is hidden or left out.
  if (!frame.waits()) return is_left_out(frame) || depth >= options_.max_depth;
  frame.slot->label = label;
  return true;
}

bool Lane::annotate_top(NameId name, std::string_view text) {
  if (!frames_.back().waits()) return false;
  PendingEvent* const slot = frames_.back().slot;
  Arguments all;
  bool is_there = false;
  for (const Argument& argument : slot->arguments()) {
    if (argument.name != name) {
      all.add(argument);
      continue;
    }
    is_there = true;
    all.add({name, std::string(argument.text).append(",").append(text)});
  }
  if (!is_there && all.size() == kArgumentsPerRecord) return false;
  if (!is_there) all.add({name, text});
  slot->run = keep(all);
  return true;
}

void Lane::instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments) {
  advance(time_ns);
  const std::size_t below = instants_ns_ == time_ns ? instants_ : 0;
  const std::size_t depth = std::min(places(), options_.max_depth) + below;
  const std::size_t deepest_instant = options_.deepest_instant();
  if (depth > deepest_instant) {
    hidden_.add(label);
    return;
  }
  zero_ns_ = time_ns;
  if (depth == deepest_instant) {
    push(time_ns, EventKind::Begin, label, 0, keep(arguments));
    push(time_ns, EventKind::End, label);
    return;
  }
  instants_ = below + 1;
  instants_ns_ = time_ns;
  push(time_ns, EventKind::Instant, label, 0, keep(arguments));
}

void Lane::counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, const Arguments& arguments) {
  advance(time_ns);
  push(time_ns, EventKind::Counter, label, id, keep(arguments));
}

void Lane::flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id,
                const Arguments& arguments) {
  advance(time_ns);
  zero_ns_ = time_ns;
  const EventKind kind = step == FlowStep::Begin  ? EventKind::FlowBegin
                         : step == FlowStep::Step ? EventKind::FlowStep
                                                  : EventKind::FlowEnd;
  push(time_ns, kind, label, id, keep(arguments));
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
  std::uint64_t* const words = new_run(0, sizeof(T) / sizeof(std::uint64_t));
  std::memcpy(words, &value, sizeof value);
  push(time_ns, kind, {}, 0, words - 1);
}

void Lane::log(std::uint64_t time_ns, std::string_view text) {
  advance(time_ns);
  push(time_ns, EventKind::Log, {}, 0, keep({{kUnnamed, text}}));
}

void Lane::blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes) {
  advance(time_ns);
  const auto put = [](std::uint64_t* at, const void* data, std::size_t size) {
    *at = ArgumentHeader::of(kUnnamed, ArgumentType::Text, size);
    return fxt::put_padded(at + 1, data, size);
  };
  bytes = bytes.first(std::min(bytes.size(), kMaxTextBytes));
  std::uint64_t* const words = new_run(2, 2 + fxt::words_of(name.size()) + fxt::words_of(bytes.size()));
  put(put(words, name.data(), name.size()), bytes.data(), bytes.size());
  push(time_ns, EventKind::Blob, {}, 0, words - 1);
}

void Lane::buffer_full(std::uint64_t time_ns) {
  advance(time_ns);
  push(time_ns, EventKind::BufferFull, {});
}

// ---- Memory ----

PendingEvent* Lane::push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id,
                         const std::uint64_t* run) {
  PendingEvent* slot = next_slot();
  *slot = {time_ns, id, run, label, kind};
  return slot;
}

void Lane::add_chunk() {
  if (write_ != nullptr) slot_bytes_ += sizeof(EventChunk::slots);
  filling_.push_back(pool_->take_slots());
  EventChunk& chunk = *filling_.back();
  chunk.bytes_before = bytes_said();
  write_ = chunk.slots.data();
  write_end_ = write_ + EventChunk::kEvents;
  if (unsealed_ == nullptr) unsealed_ = write_;
  if (first_ == nullptr) first_ = write_;
  keep_to_share();
}

const std::uint64_t* Lane::keep(const Arguments& arguments) {
  const std::size_t count = std::min(arguments.size(), kArgumentsPerRecord);
  cut_arguments_ += arguments.size() - count;
  if (count == arguments.size()) return keep(arguments.words(), count);
  return keep(split(arguments.row(), count).first.words(), count);
}

const std::uint64_t* Lane::keep(std::span<const std::uint64_t> row, std::size_t count) {
  if (count == 0) return nullptr;
  std::uint64_t* const words = new_run(count, row.size());
  ArgumentArena::copy(row, words);
  return words - 1;
}

// The run of a call that has `more` arguments at its end.
const std::uint64_t* Lane::longer(const PendingEvent& begin, const Arguments& more, std::size_t count) {
  const auto of_begin = begin.arguments().words(), of_end = more.words();
  const std::size_t size = of_begin.size() + of_end.size();
  if (const std::uint64_t* const run = runs_.lengthen(begin.run, of_end, count)) return run;
  std::uint64_t* const words = new_run(count, size);
  ArgumentArena::copy(of_end, ArgumentArena::copy(of_begin, words));
  return words - 1;
}

std::uint64_t* Lane::new_run(std::size_t count, std::size_t words) {
  if (write_ == write_end_) add_chunk();
  if (std::uint64_t* const run = runs_.try_add(count, words)) return run;
  std::uint64_t* const run = runs_.add(count, words, *filling_.back());
  keep_to_share();
  return run;
}

// ---- Sealing ----

std::size_t Lane::oldest_waiting() {
  // Between the oldest open calls that wait are only pairs and hidden calls.
  while (first_waiting_ < frames_.size() && !frames_[first_waiting_].waits()) ++first_waiting_;
  return first_waiting_;
}

// Of a slot that is not sealed.
EventChunk& Lane::chunk_of(const PendingEvent* slot) {
  const auto holds = [slot](const auto& chunk) {
    const PendingEvent* const first = chunk->slots.data();
    return std::less_equal<>()(first, slot) && std::less<>()(slot, first + EventChunk::kEvents);
  };
  return **std::ranges::find_if(filling_, holds);
}

void Lane::keep_to_share() {
  while (oldest_waiting() < frames_.size()) {
    const PendingEvent* const slot = frames_[oldest_waiting()].slot;
    const EventChunk& chunk = chunk_of(slot);
    const auto before = static_cast<std::size_t>(slot - chunk.slots.data()) * sizeof(PendingEvent);
    if (bytes_said() <= chunk.bytes_before + before + share_bytes_) break;
    release_oldest();
  }
}

void Lane::release_oldest() {
  assert(oldest_waiting() < frames_.size());
  PendingEvent* const slot = frames_[oldest_waiting()].slot;
  frames_.set_said(oldest_waiting());
  slot->kind = EventKind::Begin;
}

// Moves what is shown to the front. Nobody has an eye on slots that are about to be sealed.
PendingEvent* Lane::without_holes(PendingEvent* begin, PendingEvent* end) {
  if (holes_ == 0) return end;
  PendingEvent* const rest =
      std::remove_if(begin, end, [](const PendingEvent& slot) { return slot.kind == EventKind::LeftOut; });
  holes_ -= static_cast<std::size_t>(end - rest);
  return rest;
}

std::size_t Lane::seal() {
  if (!is_held_back()) return 0;
  const bool waits = oldest_waiting() < frames_.size();
  PendingEvent* const until = waits ? frames_[oldest_waiting()].slot : write_;
  const EventChunk* const last = waits ? &chunk_of(until) : filling_.back().get();
  std::size_t sealed = 0;
  const auto add = [&](PendingEvent* end, std::unique_ptr<EventChunk> chunk) {
    end = without_holes(unsealed_, end);
    sealed += static_cast<std::size_t>(end - unsealed_);
    if (unsealed_ != end || chunk != nullptr) pieces_.push_back({{unsealed_, end}, std::move(chunk)});
  };
  std::size_t full = 0;  // chunks that are sealed to their end
  for (; filling_[full].get() != last; ++full) {
    PendingEvent* const end = filling_[full]->slots.data() + EventChunk::kEvents;
    add(end, std::move(filling_[full]));
    unsealed_ = filling_[full + 1]->slots.data();
  }
  if (until == filling_[full]->slots.data() + EventChunk::kEvents) {
    add(until, std::move(filling_[full]));
    ++full;
    slot_bytes_ += sizeof(EventChunk::slots);
    unsealed_ = write_ = write_end_ = nullptr;
  } else {
    add(until, nullptr);
    unsealed_ = until;
  }
  filling_.erase(filling_.begin(), filling_.begin() + static_cast<std::ptrdiff_t>(full));
  return sealed * sizeof(PendingEvent);
}

}  // namespace convert
