#include "converters/tfile/threads/placer.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// Thread stacks are 8 MiB apart as a rule, and frames of one thread near each other.
constexpr std::uint64_t kStackReach = std::uint64_t{1} << 20;
// Hits whose steps are under way; each frame of such a tracepoint looks through them.
constexpr std::size_t kMaxSteppings = 256;

std::optional<std::uint64_t> computed_variable(const Description& description, std::string_view name) {
  const auto found = std::ranges::find_if(description.variables, [&](const Variable& variable) {
    return variable.is_computed && variable.name == name;
  });
  return found != description.variables.end() ? std::optional(found->number) : std::nullopt;
}

std::optional<std::int64_t> last_value(const Frame& frame, std::optional<std::uint64_t> variable) {
  if (!variable) return std::nullopt;
  std::optional<std::int64_t> value;
  for (const Block& block : frame.blocks)
    if (block.kind == Block::Kind::Variable && block.address == *variable) value = block.value;
  return value;
}

// "RMV": the kinds of a frame's blocks. A memory range of more than one block counts each.
bool has_shape(const Frame& frame, const ActionPlan& plan) {
  static constexpr std::array kLetters{'R', 'M', 'V', 'S'};
  if (frame.blocks.size() > plan.shape.size()) return false;
  if (!frame.is_partial && frame.blocks.size() != plan.shape.size()) return false;
  for (std::size_t i = 0; i < frame.blocks.size(); ++i)
    if (plan.shape[i] != kLetters[static_cast<std::size_t>(frame.blocks[i].kind)]) return false;
  return true;
}

}  // namespace

LocationTable::LocationTable(const Description& description, const RegisterLayout* layout,
                             const Symbols* symbols, Names& names)
    : ranges_(0x10000) {
  for (const TracepointLocation& location : description.locations)
    if (location.number < ranges_.size())
      entries_.push_back({&location, plan_location(location, description, layout, symbols, names)});
  std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return entry.location->number; });
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto& [first, count] = ranges_[entries_[i].location->number];
    if (count++ == 0) first = static_cast<std::uint32_t>(i);
  }
}

std::span<const LocationTable::Entry> LocationTable::of(std::int16_t tracepoint) const {
  const auto [first, count] = ranges_[static_cast<std::uint16_t>(tracepoint)];
  return std::span(entries_).subspan(first, count);
}

Placer::Placer(const TraceFile& trace, const LocationTable& locations)
    : trace_(trace),
      locations_(locations),
      pid_variable_(computed_variable(trace.description, "current_task_pid")),
      task_variable_(computed_variable(trace.description, "current_task")),
      cpu_variable_(computed_variable(trace.description, "cpu_id")),
      is_kernel_(pid_variable_ || task_variable_ || cpu_variable_),
      has_steps_(0x10000) {
  for (const LocationTable::Entry& entry : locations.all())
    if (entry.location->step_count > 0) has_steps_[entry.location->number] = true;
}

Placement Placer::place(const Frame& frame) {
  Placement placement;
  const auto block = std::ranges::find(frame.blocks, Block::Kind::Registers, &Block::kind);
  if (block != frame.blocks.end()) placement.registers = &*block;
  const auto entries = locations_.of(frame.tracepoint);
  find_location(frame, entries, placement);

  const bool can_step = has_steps_[static_cast<std::uint16_t>(frame.tracepoint)];
  std::optional<std::size_t> track = track_by_clue(frame, placement);
  if (!track) track = track_by_stack(placement);
  Stepping* open = can_step ? stepping(frame.tracepoint, track) : nullptr;
  placement.is_step = can_step && is_step(frame, entries, placement, open != nullptr && open->left > 0);

  if (!track)
    track = placement.is_step && open != nullptr
                ? open->track
                : track_of(ThreadClue::Tracepoint, static_cast<std::uint16_t>(frame.tracepoint));
  placement.track = *track;
  ++tracks_[*track].frames;
  note_stack(*track, placement);

  if (placement.is_step) {
    if (!placement.pc_is_recorded) placement.pc.reset();
    if (open != nullptr && (open->left == 0 || --open->left == 0)) {
      placement.closes_call = true;
      steppings_.erase(steppings_.begin() + (open - steppings_.data()));
    }
  } else if (can_step) {
    std::erase_if(steppings_, [&](const Stepping& s) {
      return s.tracepoint == frame.tracepoint && s.track == placement.track;
    });
    const LocationTable::Entry& entry = placement.entry != nullptr ? *placement.entry : entries.front();
    if (entry.location->step_count > 0 && steppings_.size() < kMaxSteppings) {
      placement.opens_call = true;
      steppings_.push_back({frame.tracepoint, placement.track, entry.location->step_count});
    }
  }
  return placement;
}

// Fact sheet, section 3: the pc register; without it, the address of the only location.
void Placer::find_location(const Frame& frame, std::span<const LocationTable::Entry> entries,
                           Placement& placement) const {
  if (placement.registers != nullptr && trace_.layout)
    placement.pc = pc_of(*trace_.layout, placement.registers->bytes, trace_.format.order);
  placement.pc_is_recorded = placement.pc.has_value();
  if (entries.size() == 1) {
    placement.entry = &entries.front();
    const TracepointLocation& location = *placement.entry->location;
    const bool is_certain = !has_steps_[static_cast<std::uint16_t>(frame.tracepoint)] ||
                            !location.hit_actions.empty() || frame.blocks.empty();
    if (!placement.pc && is_certain) placement.pc = location.address;
    return;
  }
  if (!placement.pc) return;
  const auto at_pc = std::ranges::find_if(
      entries, [&](const LocationTable::Entry& entry) { return entry.location->address == *placement.pc; });
  if (at_pc != entries.end()) placement.entry = &*at_pc;
}

bool Placer::is_step(const Frame& frame, std::span<const LocationTable::Entry> entries,
                     const Placement& placement, bool is_expected) const {
  const auto has_hit_shape = [&](const LocationTable::Entry& e) { return has_shape(frame, e.plan.hit); };
  const auto has_step_shape = [&](const LocationTable::Entry& e) { return has_shape(frame, e.plan.step); };
  if (placement.pc_is_recorded) {
    const bool is_at_location = std::ranges::any_of(
        entries, [&](const LocationTable::Entry& entry) { return entry.location->address == *placement.pc; });
    if (!is_at_location) return true;
    // A step may come back to the address.
    return is_expected && !std::ranges::any_of(entries, has_hit_shape) &&
           std::ranges::any_of(entries, has_step_shape);
  }
  const bool like_hit = std::ranges::any_of(entries, has_hit_shape);
  const bool like_step = std::ranges::any_of(entries, has_step_shape);
  if (like_hit != like_step) return like_step;
  return is_expected && like_step;
}

std::optional<std::uint64_t> Placer::register_value(const Register& reg, const Block& block) const {
  const auto bytes = bytes_of(reg, block.bytes);
  return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, trace_.format.order));
}

std::optional<std::size_t> Placer::track_by_clue(const Frame& frame, const Placement& placement) {
  if (!is_kernel_ && placement.registers == nullptr) return std::nullopt;
  if (const auto pid = last_value(frame, pid_variable_))
    return track_of(ThreadClue::Pid, static_cast<std::uint64_t>(*pid));
  if (const auto task = last_value(frame, task_variable_))
    return track_of(ThreadClue::Task, static_cast<std::uint64_t>(*task));
  if (placement.registers != nullptr && trace_.layout && trace_.layout->thread_pointer()) {
    const ThreadPointer& pointer = *trace_.layout->thread_pointer();
    const auto& registers = trace_.layout->registers();
    auto value = register_value(registers[pointer.low], *placement.registers);
    if (pointer.high != pointer.low) {
      const auto high = register_value(registers[pointer.high], *placement.registers);
      value = value && high ? std::optional((*high << 32) + *value) : std::nullopt;
    }
    // 0 is what fast tracepoints leave there.
    if (value && *value != 0) return track_of(ThreadClue::ThreadPointer, *value);
  }
  if (const auto cpu = last_value(frame, cpu_variable_))
    return track_of(ThreadClue::Cpu, static_cast<std::uint64_t>(*cpu));
  return std::nullopt;
}

std::optional<std::size_t> Placer::track_by_stack(const Placement& placement) {
  if (placement.registers == nullptr || !trace_.layout || trace_.layout->sp() == nullptr) return std::nullopt;
  const auto sp = register_value(*trace_.layout->sp(), *placement.registers);
  if (!sp || *sp == 0) return std::nullopt;
  const auto is_near = [&](std::size_t i) {
    const Track& track = tracks_[stacks_[i]];
    return *sp + kStackReach >= track.stack_low && track.stack_high + kStackReach >= *sp;
  };
  if (recent_stack_ < stacks_.size() && is_near(recent_stack_)) return stacks_[recent_stack_];
  for (std::size_t i = 0; i < stacks_.size(); ++i)
    if (is_near(i)) {
      recent_stack_ = i;
      return stacks_[i];
    }
  constexpr std::size_t kMaxStacks = 256;  // each is compared with
  if (stacks_.size() == kMaxStacks) return std::nullopt;
  const std::size_t track = track_of(ThreadClue::Stack, *sp);
  if (tracks_[track].clue == ThreadClue::Stack) stacks_.push_back(track);
  return track;
}

void Placer::note_stack(std::size_t track, const Placement& placement) {
  if (placement.registers == nullptr || !trace_.layout || trace_.layout->sp() == nullptr) return;
  const auto sp = register_value(*trace_.layout->sp(), *placement.registers);
  if (!sp || *sp == 0) return;
  tracks_[track].stack_low = std::min(tracks_[track].stack_low, *sp);
  tracks_[track].stack_high = std::max(tracks_[track].stack_high, *sp);
}

std::size_t Placer::track_of(ThreadClue clue, std::uint64_t value) {
  const auto found = by_clue_.find({clue, value});
  if (found != by_clue_.end()) return found->second;
  if (tracks_.size() >= kMaxTracks && clue != ThreadClue::Tracepoint) {
    ++overflow_;
    return track_of(ThreadClue::Tracepoint, 0);
  }
  by_clue_.emplace(std::pair(clue, value), tracks_.size());
  tracks_.push_back({.clue = clue, .value = value});
  return tracks_.size() - 1;
}

// Steps of a thread follow their own hit; a frame without a thread follows the latest hit that has steps
// left.
Placer::Stepping* Placer::stepping(std::int16_t tracepoint, std::optional<std::size_t> track) {
  Stepping* latest = nullptr;
  for (Stepping& candidate : steppings_)
    if (candidate.tracepoint == tracepoint && (!track || candidate.track == *track)) latest = &candidate;
  return latest;
}

std::vector<std::size_t> Placer::merged_tracks() const {
  std::vector<std::size_t> shown(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    shown[i] = i;
    if (tracks_[i].clue != ThreadClue::Stack) continue;
    std::size_t threads = 0;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      const bool is_thread = tracks_[t].clue == ThreadClue::ThreadPointer;
      const bool is_near = tracks_[i].stack_low <= tracks_[t].stack_high + kStackReach &&
                           tracks_[t].stack_low <= tracks_[i].stack_high + kStackReach;
      if (!is_thread || tracks_[t].stack_high == 0 || !is_near) continue;
      shown[i] = t;
      ++threads;
    }
    if (threads > 1) shown[i] = i;
  }
  return shown;
}

std::string name_of(const Track& track, const RegisterLayout* layout) {
  switch (track.clue) {
    case ThreadClue::Pid:
      return fmt::format("thread pid={}", static_cast<std::int64_t>(track.value));
    case ThreadClue::Task:
      return fmt::format("thread task={:#x}", track.value);
    case ThreadClue::ThreadPointer:
      return fmt::format(
          "thread {}={:#x}",
          layout != nullptr && layout->thread_pointer() ? layout->thread_pointer()->name : "register",
          track.value);
    case ThreadClue::Cpu:
      return fmt::format("cpu {}", static_cast<std::int64_t>(track.value));
    case ThreadClue::Stack:
      return fmt::format("thread sp={:#x} (guessed)", track.value);
    case ThreadClue::Tracepoint:
      break;
  }
  return track.value == 0 ? "other threads" : fmt::format("tracepoint {}", track.value);
}

}  // namespace convert::tfile
