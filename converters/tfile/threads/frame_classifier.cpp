#include "converters/tfile/threads/frame_classifier.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace convert::tfile {
namespace {

// At most this number of hits wait for steps. The limit is needed, because every frame of a stepping
// tracepoint is compared with all of these hits.
constexpr std::size_t kMaxOpenSteps = 256;

// The kinds of the frame's blocks, as in ExpectedBlocks::shape.
std::string shape_of(const Frame& frame) {
  static constexpr std::array kLetters{'R', 'M', 'V', 'S'};
  std::string shape;
  for (const Block& block : frame.blocks) shape += kLetters[static_cast<std::size_t>(block.kind)];
  return shape;
}

constexpr std::array<std::string_view, 3> kNames{"tid", "gettid()", "thread_id"};
constexpr std::uint64_t kMaxThreadId = std::uint64_t{1} << 22;  // limit in Linux

}  // namespace

CollectedThreadIds::CollectedThreadIds(const LocationTable& locations) {
  for (const auto& [location, hit, step] : locations.all()) {
    const auto number = static_cast<std::uint16_t>(location->number);
    if (number != location->number) continue;  // frames can't have this number
    std::size_t block = 0, expression = 0;
    for (const TracepointAction& action : hit.actions) {
      std::size_t blocks = 1;
      if (action.kind == TracepointAction::Kind::Expression) {
        blocks = hit.shapes[expression].blocks.size();
        const auto item = hit.item_of[expression++];
        if (item && blocks == 1 && std::ranges::count(kNames, hit.items[*item].text) != 0)
          block_of_.emplace(static_cast<std::int16_t>(number), block);
      }
      block += blocks;
    }
  }
}

std::optional<std::uint64_t> CollectedThreadIds::id_of(const Frame& frame, std::endian order) const {
  const auto found = block_of_.find(frame.tracepoint);
  if (found == block_of_.end() || found->second >= frame.blocks.size()) return std::nullopt;
  const Block& block = frame.blocks[found->second];
  if (block.kind != Block::Kind::Memory || (block.bytes.size() != 4 && block.bytes.size() != 8))
    return std::nullopt;
  const std::uint64_t id = unsigned_bits(block.bytes, order);
  return id != 0 && id <= kMaxThreadId ? std::optional(id) : std::nullopt;
}

FrameClassifier::FrameClassifier(const TraceFile& trace, const LocationTable& locations)
    : trace_(trace),
      locations_(locations),
      pid_variable_(trace.description.computed_variable("current_task_pid")),
      task_variable_(trace.description.computed_variable("current_task")),
      cpu_variable_(trace.description.computed_variable("cpu_id")),
      is_kernel_(pid_variable_ || task_variable_ || cpu_variable_),
      has_steps_(0x10000),
      thread_ids_(locations) {
  for (const ExpectedFrames& expected : locations.all())
    if (expected.location->step_count > 0) has_steps_[expected.location->number] = true;
}

FrameContext FrameClassifier::classify(const Frame& frame) {
  FrameContext context;
  const auto block = std::ranges::find(frame.blocks, Block::Kind::Registers, &Block::kind);
  registers_ = block != frame.blocks.end() ? &*block : nullptr;
  context.has_registers = registers_ != nullptr;
  find_location(frame, context);

  const bool can_step = has_steps_[static_cast<std::uint16_t>(frame.tracepoint)];
  // The stack pointer is 0 if the frame does not have it.
  const std::uint64_t stack_pointer =
      register_value(trace_.layout ? trace_.layout->sp() : nullptr).value_or(0);
  const auto collected_id = thread_ids_.id_of(frame, trace_.format.order);
  std::optional<std::size_t> track = track_by_clue(frame);
  if (!track && collected_id) track = tracks_.track_of(ThreadClue::Collected, *collected_id);
  if (!track && stack_pointer != 0) track = tracks_.near_stack(stack_pointer);
  OpenSteps* open = can_step ? open_steps(frame.tracepoint, track) : nullptr;
  context.is_step = can_step && is_step(frame, context, open != nullptr && open->left > 0);

  if (!track)
    track = context.is_step && open != nullptr ? open->track : tracks_.track_of(ThreadClue::None, 0);
  context.track = *track;
  if (collected_id && !context.is_step) tracks_.add_id(*track, *collected_id);
  tracks_.add_frames(*track, 1);
  if (stack_pointer != 0) tracks_.add_stack_pointer(*track, stack_pointer);

  if (context.is_step) {
    if (!context.pc_is_recorded) context.pc.reset();
    if (open != nullptr && (open->left == 0 || --open->left == 0)) {
      context.closes_call = true;
      open_steps_.erase(open_steps_.begin() + (open - open_steps_.data()));
    }
  } else if (can_step) {
    std::erase_if(open_steps_, [&](const OpenSteps& steps) {
      return steps.tracepoint == frame.tracepoint && steps.track == context.track;
    });
    const ExpectedFrames& expected =
        context.location != nullptr ? *context.location : locations_.locations_of(frame.tracepoint).front();
    if (expected.location->step_count > 0 && open_steps_.size() < kMaxOpenSteps) {
      context.opens_call = true;
      open_steps_.push_back({frame.tracepoint, context.track, expected.location->step_count});
    }
  }
  return context;
}

// If the tracepoint has only one location, the frame belongs to this location. If such a frame has no pc,
// it gets the address of the location as its pc, unless the frame may be a step. If the tracepoint has
// several locations, the frame belongs to the location at its pc.
void FrameClassifier::find_location(const Frame& frame, FrameContext& context) const {
  if (registers_ != nullptr && trace_.layout)
    context.pc = pc_of(*trace_.layout, registers_->bytes, trace_.format.order);
  context.pc_is_recorded = context.pc.has_value();
  const auto locations = locations_.locations_of(frame.tracepoint);
  if (locations.size() == 1) {
    context.location = &locations.front();
    const TracepointLocation& location = *context.location->location;
    const bool is_certain = !has_steps_[static_cast<std::uint16_t>(frame.tracepoint)] ||
                            !location.hit_actions.empty() || frame.blocks.empty();
    if (!context.pc && is_certain) context.pc = location.address;
    return;
  }
  if (context.pc) context.location = locations_.location_at(frame.tracepoint, *context.pc);
}

bool FrameClassifier::is_step(const Frame& frame, const FrameContext& context, bool is_expected) const {
  const std::string shape = shape_of(frame);
  const bool like_hit = locations_.has_hits_like(frame.tracepoint, shape, frame.is_partial);
  const bool like_step = locations_.has_steps_like(frame.tracepoint, shape, frame.is_partial);
  if (context.pc_is_recorded) {
    const bool is_at_location = locations_.location_at(frame.tracepoint, *context.pc) != nullptr;
    // A frame at the address of the tracepoint is usually a hit, but a step may return to this address.
    return !is_at_location || (is_expected && !like_hit && like_step);
  }
  if (like_hit != like_step) return like_step;
  return is_expected && like_step;
}

// Returns nothing if the frame does not have the register, or if `reg` is null.
std::optional<std::uint64_t> FrameClassifier::register_value(const Register* reg) const {
  if (reg == nullptr || registers_ == nullptr) return std::nullopt;
  const auto bytes = bytes_of(*reg, registers_->bytes);
  return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, trace_.format.order));
}

std::optional<std::size_t> FrameClassifier::track_by_clue(const Frame& frame) {
  if (!is_kernel_ && registers_ == nullptr) return std::nullopt;
  const auto value_of = [&](std::optional<std::uint64_t> variable) {
    return variable ? frame.variable(*variable) : std::nullopt;
  };
  if (const auto pid = value_of(pid_variable_)) return tracks_.track_of(ThreadClue::Pid, *pid);
  if (const auto task = value_of(task_variable_)) return tracks_.track_of(ThreadClue::Task, *task);
  if (registers_ != nullptr && trace_.layout && trace_.layout->thread_pointer()) {
    const ThreadPointer& pointer = *trace_.layout->thread_pointer();
    const auto& registers = trace_.layout->registers();
    auto value = register_value(&registers[pointer.low]);
    if (pointer.high != pointer.low) {
      const auto high = register_value(&registers[pointer.high]);
      value = value && high ? std::optional((*high << 32) + *value) : std::nullopt;
    }
    // Fast tracepoints do not record the thread pointer, and leave 0 in its place.
    if (value && *value != 0) return tracks_.track_of(ThreadClue::ThreadPointer, *value);
  }
  if (const auto cpu = value_of(cpu_variable_)) return tracks_.track_of(ThreadClue::Cpu, *cpu);
  return std::nullopt;
}

// Of the hits of this tracepoint that wait for steps, returns the latest one. If `track` is known, only hits
// on this track count.
FrameClassifier::OpenSteps* FrameClassifier::open_steps(std::int16_t tracepoint,
                                                        std::optional<std::size_t> track) {
  OpenSteps* latest = nullptr;
  for (OpenSteps& candidate : open_steps_)
    if (candidate.tracepoint == tracepoint && (!track || candidate.track == *track)) latest = &candidate;
  return latest;
}

}  // namespace convert::tfile
