#include "converters/model/lane.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace convert {
namespace {

// Rough size of what a Details holds, for the lookahead budget.
std::size_t size_of(const Details& details) {
  std::size_t bytes = sizeof(Details) + details.text.size() + details.bytes.size();
  for (const Argument& argument : details.arguments) {
    bytes += sizeof(Argument);
    if (const auto* text = std::get_if<std::string>(&argument.value)) bytes += text->size();
  }
  return bytes;
}

}  // namespace

Lane::~Lane() {
  for (SlotPool::Chunk& chunk : chunks_) pool_->give_back(std::move(chunk));
}

// ---- Filling ----

void Lane::begin(std::uint64_t time_ns, LabelId label, std::uint64_t key, Arguments arguments) {
  advance(time_ns);
  if (frames_.size() >= options_.max_depth) {
    ++hidden_;
    frames_.push_back({nullptr, time_ns, key, label, DetailsId::None});
    return;
  }
  DetailsId rest = DetailsId::None;
  if (arguments.size() > kArgumentsPerRecord) {
    const auto first_of_rest = arguments.begin() + kArgumentsPerRecord;
    rest = keep(Arguments(std::make_move_iterator(first_of_rest), std::make_move_iterator(arguments.end())));
    arguments.erase(first_of_rest, arguments.end());
  }
  const bool as_pair = rest != DetailsId::None || options_.durations == DurationForm::Pairs;
  Slot* slot =
      push(time_ns, as_pair ? SlotKind::Begin : SlotKind::Open, label, 0, keep(std::move(arguments)));
  frames_.push_back({as_pair ? nullptr : slot, time_ns, key, label, rest});
}

void Lane::end(std::uint64_t time_ns, Arguments arguments) {
  assert(!frames_.empty());
  advance(time_ns);
  const Frame frame = frames_.back();
  frames_.pop_back();
  first_waiting_frame_ = std::min(first_waiting_frame_, frames_.size());
  if (frames_.size() >= options_.max_depth) return;  // hidden

  const bool of_zero_length = time_ns == frame.begin_ns;
  if (frame.slot != nullptr && !of_zero_length && time_ns != zero_ns_) {
    frame.slot->end_ns = time_ns;
    frame.slot->tag = Slot::tag_of(SlotKind::Complete, frame.slot->details());
    if (!arguments.empty()) finish_with(*frame.slot, time_ns, std::move(arguments));
    return;
  }
  if (frame.slot != nullptr) frame.slot->tag = Slot::tag_of(SlotKind::Begin, frame.slot->details());
  if (of_zero_length) zero_ns_ = time_ns;
  if (frame.rest != DetailsId::None) {
    Arguments all = std::move(details_[index(frame.rest)].arguments);
    std::ranges::move(arguments, std::back_inserter(all));
    arguments = std::move(all);
    drop_details(frame.rest);
  }
  push(time_ns, SlotKind::End, frame.label, 0, keep(std::move(arguments)));
}

// A complete event takes its end's arguments too, as long as one record holds them all; else it becomes a
// pair.
void Lane::finish_with(Slot& slot, std::uint64_t time_ns, Arguments arguments) {
  if (slot.details() == DetailsId::None) {
    slot.tag = Slot::tag_of(SlotKind::Complete, keep(std::move(arguments)));
    return;
  }
  Details& details = details_[index(slot.details())];
  if (details.arguments.size() + arguments.size() <= kArgumentsPerRecord) {
    details_bytes_ -= size_of(details);
    std::ranges::move(arguments, std::back_inserter(details.arguments));
    details_bytes_ += size_of(details);
    return;
  }
  slot.tag = Slot::tag_of(SlotKind::Begin, slot.details());
  push(time_ns, SlotKind::End, slot.label, 0, keep(std::move(arguments)));
}

bool Lane::rename(std::size_t depth, LabelId label, std::uint64_t key) {
  Frame& frame = frames_[depth];
  frame.key = key;
  if (frame.slot == nullptr) return depth >= options_.max_depth;  // nobody sees a hidden call's name
  frame.label = label;
  frame.slot->label = label;
  return true;
}

bool Lane::annotate_top(NameId name, std::string_view text) {
  Slot* slot = frames_.back().slot;
  if (slot == nullptr) return false;
  if (slot->details() == DetailsId::None) {
    slot->tag = Slot::tag_of(slot->kind(), keep(Arguments{{name, std::string(text)}}));
    return true;
  }
  Details& details = details_[index(slot->details())];
  const auto same_name = std::ranges::find(details.arguments, name, &Argument::name);
  if (same_name == details.arguments.end() && details.arguments.size() == kArgumentsPerRecord) return false;
  details_bytes_ -= size_of(details);
  if (same_name == details.arguments.end())
    details.arguments.push_back({name, std::string(text)});
  else
    std::get<std::string>(same_name->value).append(",").append(text);
  details_bytes_ += size_of(details);
  return true;
}

void Lane::instant(std::uint64_t time_ns, LabelId label, Arguments&& arguments) {
  advance(time_ns);
  if (!shows_instant(time_ns)) {
    ++hidden_;
    arguments.clear();
    return;
  }
  count_instant(time_ns);
  push(time_ns, SlotKind::Instant, label, 0, keep(std::move(arguments)));
}

void Lane::counter(std::uint64_t time_ns, LabelId label, std::uint64_t id, Arguments arguments) {
  advance(time_ns);
  push(time_ns, SlotKind::Counter, label, id, keep(std::move(arguments)));
}

void Lane::flow(FlowStep step, std::uint64_t time_ns, LabelId label, std::uint64_t id, Arguments arguments) {
  advance(time_ns);
  zero_ns_ = time_ns;
  const SlotKind kind = step == FlowStep::Begin  ? SlotKind::FlowBegin
                        : step == FlowStep::Step ? SlotKind::FlowStep
                                                 : SlotKind::FlowEnd;
  push(time_ns, kind, label, id, keep(std::move(arguments)));
}

void Lane::context_switch(std::uint64_t time_ns, const ContextSwitch& context_switch) {
  advance(time_ns);
  push(time_ns, SlotKind::ContextSwitch, {}, 0,
       keep(Details{.arguments = {}, .text = {}, .bytes = {}, .context_switch = context_switch}));
}

void Lane::log(std::uint64_t time_ns, std::string text) {
  advance(time_ns);
  push(time_ns, SlotKind::Log, {}, 0, keep(Details{.arguments = {}, .text = std::move(text), .bytes = {}}));
}

void Lane::blob(std::uint64_t time_ns, std::string_view name, std::span<const std::byte> bytes) {
  advance(time_ns);
  const DetailsId id = fresh_details();
  Details& details = details_[index(id)];
  details.text = name;
  details.bytes.assign(bytes.begin(), bytes.end());
  details_bytes_ += size_of(details);
  push(time_ns, SlotKind::Blob, {}, 0, id);
}

void Lane::buffer_full(std::uint64_t time_ns) {
  advance(time_ns);
  push(time_ns, SlotKind::BufferFull, {});
}

Slot* Lane::push(std::uint64_t time_ns, SlotKind kind, LabelId label, std::uint64_t id, DetailsId details) {
  Slot* slot = next_slot();
  *slot = {time_ns, id, label, Slot::tag_of(kind, details)};
  return slot;
}

void Lane::add_chunk() {
  chunks_.push_back(pool_->take());
  write_ = chunks_.back().get();
  write_end_ = write_ + SlotPool::kSlotsPerChunk;
  if (chunks_.size() == 1) read_ = write_;
}

// ---- Details ----

DetailsId Lane::keep(Arguments&& arguments) {
  if (arguments.empty()) return DetailsId::None;
  if (arguments.size() > kArgumentsPerRecord) {
    cut_arguments_ += arguments.size() - kArgumentsPerRecord;
    arguments.resize(kArgumentsPerRecord);
  }
  const DetailsId id = fresh_details();
  Details& details = details_[index(id)];
  details.arguments.swap(arguments);
  details_bytes_ += size_of(details);
  return id;
}

DetailsId Lane::keep(Details details) {
  const DetailsId id = fresh_details();
  details_bytes_ += size_of(details);
  details_[index(id)] = std::move(details);
  return id;
}

// Empty ones, which still have the room of what they held before.
DetailsId Lane::fresh_details() {
  if (free_details_.empty()) {
    details_.emplace_back();
    return static_cast<DetailsId>(details_.size());
  }
  const DetailsId id = free_details_.back();
  free_details_.pop_back();
  return id;
}

void Lane::drop_details(DetailsId id) {
  constexpr std::size_t kKeptRoom = 4096;  // bytes, of each part
  Details& details = details_[index(id)];
  details_bytes_ -= size_of(details);
  details.arguments.clear();
  details.text.clear();
  details.bytes.clear();
  if (details.arguments.capacity() * sizeof(Argument) > kKeptRoom || details.text.capacity() > kKeptRoom ||
      details.bytes.capacity() > kKeptRoom)
    details = Details{};
  free_details_.push_back(id);
}

// ---- Emptying ----

std::size_t Lane::waiting_slots() const {
  if (chunks_.empty()) return 0;
  const auto read_at = static_cast<std::size_t>(read_ - chunks_.front().get());
  const auto written = static_cast<std::size_t>(write_ - chunks_.back().get());
  return (chunks_.size() - 1) * SlotPool::kSlotsPerChunk + written - read_at;
}

// The front chunk is read to its end.
void Lane::leave_front() {
  if (chunks_.size() == 1) {
    // Start again at the front of the same warm chunk, unless it has room left anyway.
    if (write_ == write_end_) read_ = write_ = chunks_.front().get();
    return;
  }
  pool_->give_back(std::move(chunks_.front()));
  chunks_.pop_front();
  read_ = chunks_.front().get();
}

void Lane::release_head() {
  assert(head_is_open());
  // The oldest open call is the outermost one whose slot waits; between are only pairs and hidden calls.
  while (frames_[first_waiting_frame_].slot == nullptr) ++first_waiting_frame_;
  Frame& frame = frames_[first_waiting_frame_++];
  assert(frame.slot == read_);
  frame.slot->tag = Slot::tag_of(SlotKind::Begin, frame.slot->details());
  frame.slot = nullptr;
}

}  // namespace convert
