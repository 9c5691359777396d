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
  if (unfiltered_depth() >= hot_depth_limit_ || arguments.size() > kArgumentsPerRecord) {
    begin_slow(time_ns, label, key, arguments);
    return;
  }
  advance(time_ns);
  const std::uint64_t* const block = keep(arguments.words(), arguments.size());
  open_calls_.push(push(time_ns, EventKind::Open, label, 0, block), key);
}

// TooDeepCount, or said as a pair at once.
void Lane::begin_slow(std::uint64_t time_ns, LabelId label, std::uint64_t key, const Arguments& arguments) {
  advance(time_ns);
  if (unfiltered_depth() >= options_.max_depth) {
    too_deep_.add(label);
    open_calls_.push_emitted(time_ns, label, key);
    return;
  }
  const auto [shown, rest] = split(arguments.row(), kArgumentsPerRecord);
  const std::size_t count = std::min(arguments.size(), kArgumentsPerRecord);
  push(time_ns, EventKind::Begin, label, 0, keep(shown.words(), count));
  open_calls_.push_emitted(time_ns, label, key, arguments.size() - count);
  if (!rest.empty()) end_arguments_.emplace_back().add(rest);
}

void Lane::end(std::uint64_t time_ns, const Arguments& arguments) {
  assert(!open_calls_.empty());
  PendingEvent& begin = *open_calls_.back().event;
  // A complete event takes its end's arguments too, as long as one record holds them all.
  const std::size_t count = begin.argument_count() + arguments.size();
  if (begin.kind != EventKind::Open || time_ns == begin.time_ns || time_ns == zero_ns_ ||
      count > kArgumentsPerRecord) {
    end_slow(time_ns, arguments);
    return;
  }
  advance(time_ns);
  open_calls_.pop();
  begin.end_ns = time_ns;
  begin.kind = EventKind::Complete;
  if (time_ns < needed_from_ns_ && skip_call(begin)) return;
  if (!arguments.empty()) begin.block = extended(begin, arguments, count);
}

// Takes back a call that is over, and its arguments. False if something was said since, or it is the first.
bool Lane::skip_call(const PendingEvent& complete) {
  if (&complete + 1 != write_ || &complete == first_) return false;
  if (complete.block != nullptr && !blocks_.remove_latest(complete.block)) return false;
  --write_;
  ++skipped_calls_;
  return true;
}

// A call that is left out or hidden, or a pair.
void Lane::end_slow(std::uint64_t time_ns, const Arguments& arguments) {
  advance(time_ns);
  if (top_is_filtered()) return pop_filtered();
  PendingEvent& begin = *open_calls_.back().event;
  open_calls_.pop();
  first_pending_ = std::min(first_pending_, open_calls_.size());
  if (unfiltered_depth() >= options_.max_depth) return;  // hidden

  if (time_ns == begin.time_ns) zero_ns_ = time_ns;
  if (begin.kind == EventKind::Open) {
    begin.kind = EventKind::Begin;
  } else if (OpenCallStack::end_argument_count(begin) != 0) {
    Arguments all = std::move(end_arguments_.back());
    end_arguments_.pop_back();
    all.add(arguments.row());
    push(time_ns, EventKind::End, begin.label, 0, keep(all));
    return;
  }
  push(time_ns, EventKind::End, begin.label, 0, keep(arguments));
}

bool Lane::retract(std::size_t depth, std::uint64_t time_ns) {
  if (!open_calls_[depth].is_pending()) return false;
  advance(time_ns);
  PendingEvent* const event = open_calls_[depth].event;
  open_calls_.remove(depth);
  if (event + 1 == write_) {
    --write_;
  } else {
    event->kind = EventKind::Retracted;
    ++retracted_;
  }
  return true;
}

bool Lane::end_parent_of_top(const Arguments& arguments) {
  assert(open_calls_.size() >= 2);
  const OpenCall& below = open_calls_[open_calls_.size() - 2];
  const std::uint64_t time_ns = open_calls_.back().event->time_ns;
  const bool is_hidden = unfiltered_depth() > options_.max_depth;  // what is not hidden must not become so
  if (is_hidden || !below.is_pending() || below.event->time_ns == time_ns) return false;
  PendingEvent& begin = *below.event;
  const std::size_t count = begin.argument_count() + arguments.size();
  if (count > kArgumentsPerRecord) return false;
  begin.end_ns = time_ns;
  begin.kind = EventKind::Complete;
  if (!arguments.empty()) begin.block = extended(begin, arguments, count);
  open_calls_.remove(open_calls_.size() - 2);
  return true;
}

bool Lane::rename(std::size_t depth, LabelId label, std::uint64_t key) {
  OpenCall& call = open_calls_[depth];
  call.key = key;
  // Nobody sees the name of a call that is hidden or left out.
  if (!call.is_pending()) return is_filtered(call) || depth >= options_.max_depth;
  call.event->label = label;
  return true;
}

bool Lane::annotate_top(NameId name, std::string_view text) {
  if (!open_calls_.back().is_pending()) return false;
  PendingEvent* const event = open_calls_.back().event;
  Arguments all;
  bool is_there = false;
  for (const Argument& argument : event->arguments()) {
    if (argument.name != name) {
      all.add(argument);
      continue;
    }
    is_there = true;
    all.add({name, std::string(argument.text).append(",").append(text)});
  }
  if (!is_there && all.size() == kArgumentsPerRecord) return false;
  if (!is_there) all.add({name, text});
  event->block = keep(all);
  return true;
}

void Lane::instant(std::uint64_t time_ns, LabelId label, const Arguments& arguments) {
  advance(time_ns);
  const std::size_t below = instants_ns_ == time_ns ? instants_ : 0;
  const std::size_t depth = std::min(unfiltered_depth(), options_.max_depth) + below;
  const std::size_t deepest_instant = options_.deepest_instant();
  if (depth > deepest_instant) {
    too_deep_.add(label);
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
  std::uint64_t* const words = new_block(0, sizeof(T) / sizeof(std::uint64_t));
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
  std::uint64_t* const words = new_block(2, 2 + fxt::words_of(name.size()) + fxt::words_of(bytes.size()));
  put(put(words, name.data(), name.size()), bytes.data(), bytes.size());
  push(time_ns, EventKind::Blob, {}, 0, words - 1);
}

void Lane::buffer_full(std::uint64_t time_ns) {
  advance(time_ns);
  push(time_ns, EventKind::BufferFull, {});
}

// ---- Memory ----

PendingEvent* Lane::push(std::uint64_t time_ns, EventKind kind, LabelId label, std::uint64_t id,
                         const std::uint64_t* block) {
  PendingEvent* event = next_event();
  *event = {time_ns, id, block, label, kind};
  return event;
}

void Lane::add_chunk() {
  if (write_ != nullptr) event_bytes_ += sizeof(EventChunk::events);
  filling_.push_back(pool_->take_events());
  EventChunk& chunk = *filling_.back();
  chunk.bytes_before = bytes_used();
  write_ = chunk.events.data();
  write_end_ = write_ + EventChunk::kEvents;
  if (unsealed_ == nullptr) unsealed_ = write_;
  if (first_ == nullptr) first_ = write_;
  limit_held_bytes();
}

const std::uint64_t* Lane::keep(const Arguments& arguments) {
  const std::size_t count = std::min(arguments.size(), kArgumentsPerRecord);
  cut_arguments_ += arguments.size() - count;
  if (count == arguments.size()) return keep(arguments.words(), count);
  return keep(split(arguments.row(), count).first.words(), count);
}

const std::uint64_t* Lane::keep(std::span<const std::uint64_t> row, std::size_t count) {
  if (count == 0) return nullptr;
  std::uint64_t* const words = new_block(count, row.size());
  ArgumentArena::copy(row, words);
  return words - 1;
}

// The block of a call that has `more` arguments at its end.
const std::uint64_t* Lane::extended(const PendingEvent& begin, const Arguments& more, std::size_t count) {
  const auto of_begin = begin.arguments().words(), of_end = more.words();
  const std::size_t size = of_begin.size() + of_end.size();
  if (const std::uint64_t* const block = blocks_.lengthen(begin.block, of_end, count)) return block;
  std::uint64_t* const words = new_block(count, size);
  ArgumentArena::copy(of_end, ArgumentArena::copy(of_begin, words));
  return words - 1;
}

std::uint64_t* Lane::new_block(std::size_t count, std::size_t words) {
  if (write_ == write_end_) add_chunk();
  if (std::uint64_t* const block = blocks_.try_add(count, words)) return block;
  std::uint64_t* const block = blocks_.add(count, words, *filling_.back());
  limit_held_bytes();
  return block;
}

// ---- Sealing ----

std::size_t Lane::oldest_pending() {
  // Between the oldest open calls that wait are only pairs and hidden calls.
  while (first_pending_ < open_calls_.size() && !open_calls_[first_pending_].is_pending()) ++first_pending_;
  return first_pending_;
}

// Of a event that is not sealed.
EventChunk& Lane::chunk_of(const PendingEvent* event) {
  const auto holds = [event](const auto& chunk) {
    const PendingEvent* const first = chunk->events.data();
    return std::less_equal<>()(first, event) && std::less<>()(event, first + EventChunk::kEvents);
  };
  return **std::ranges::find_if(filling_, holds);
}

void Lane::limit_held_bytes() {
  while (oldest_pending() < open_calls_.size()) {
    const PendingEvent* const event = open_calls_[oldest_pending()].event;
    const EventChunk& chunk = chunk_of(event);
    const auto before = static_cast<std::size_t>(event - chunk.events.data()) * sizeof(PendingEvent);
    if (bytes_used() <= chunk.bytes_before + before + held_bytes_limit_) break;
    release_oldest();
  }
}

void Lane::release_oldest() {
  assert(oldest_pending() < open_calls_.size());
  PendingEvent* const event = open_calls_[oldest_pending()].event;
  open_calls_.set_emitted(oldest_pending());
  event->kind = EventKind::Begin;
}

// Moves what is shown to the front. Nobody has an eye on slots that are about to be sealed.
PendingEvent* Lane::remove_retracted(PendingEvent* begin, PendingEvent* end) {
  if (retracted_ == 0) return end;
  PendingEvent* const rest = std::remove_if(
      begin, end, [](const PendingEvent& event) { return event.kind == EventKind::Retracted; });
  retracted_ -= static_cast<std::size_t>(end - rest);
  return rest;
}

std::size_t Lane::seal() {
  if (!has_unsealed()) return 0;
  const bool is_pending = oldest_pending() < open_calls_.size();
  PendingEvent* const until = is_pending ? open_calls_[oldest_pending()].event : write_;
  const EventChunk* const last = is_pending ? &chunk_of(until) : filling_.back().get();
  std::size_t sealed = 0;
  const auto add = [&](PendingEvent* end, std::unique_ptr<EventChunk> chunk) {
    end = remove_retracted(unsealed_, end);
    sealed += static_cast<std::size_t>(end - unsealed_);
    if (unsealed_ != end || chunk != nullptr) sealed_.push_back({{unsealed_, end}, std::move(chunk)});
  };
  std::size_t full = 0;  // chunks that are sealed to their end
  for (; filling_[full].get() != last; ++full) {
    PendingEvent* const end = filling_[full]->events.data() + EventChunk::kEvents;
    add(end, std::move(filling_[full]));
    unsealed_ = filling_[full + 1]->events.data();
  }
  if (until == filling_[full]->events.data() + EventChunk::kEvents) {
    add(until, std::move(filling_[full]));
    ++full;
    event_bytes_ += sizeof(EventChunk::events);
    unsealed_ = write_ = write_end_ = nullptr;
  } else {
    add(until, nullptr);
    unsealed_ = until;
  }
  filling_.erase(filling_.begin(), filling_.begin() + static_cast<std::ptrdiff_t>(full));
  return sealed * sizeof(PendingEvent);
}

}  // namespace convert
