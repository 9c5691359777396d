#include "converters/tfile/events/frame_planner.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

#include "converters/tfile/actions/own_names.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// Names of addresses are interned only so often: a file may have any number of them.
constexpr std::size_t kMaxMemoryNames = 65536;

// Items whose names are looked through for repetitions.
constexpr std::size_t kMaxDistinctItems = 256;

// Fact sheet, section 5: on amd64 rax…r15, rip and eflags; the tail of the block is zero.
bool is_in_fast_frames(const Register& reg, const RegisterLayout& layout) {
  if (layout.architecture().starts_with("i386:x")) return reg.number <= 17;
  return reg.is_general && !reg.name.starts_with("orig_");
}

bool is_text(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= 0x20 || c == '\t' || c == '\n' || c == 0;
  });
}

}  // namespace

FramePlanner::FramePlanner(const TraceFile& trace, const LocationTable& locations, const Symbols* symbols,
                           const Options& options, ImportContext& context)
    : trace_(trace),
      locations_(locations),
      names_(context.names),
      blobs_(context.options.blobs),
      wanted_registers_(options.registers),
      code_names_(context.names, locations, symbols),
      continued_(context.names),
      labels_(trace.layout ? &*trace.layout : nullptr, trace.format.order),
      variables_(trace.description, context.names) {
  frame_ = names_.intern(own_names::kFrame);
  tracepoint_ = names_.intern(own_names::kTracepoint);
  pc_ = names_.intern(own_names::kPc);
  loc_ = names_.intern(own_names::kLoc);
  inlined_ = names_.intern(own_names::kInlined);
  time_ = names_.intern(own_names::kTime);
  thread_ = names_.intern(own_names::kThread);
  static_data_ = names_.intern("static data");
  memory_ = names_.intern(own_names::kMemory);
  if (trace.layout && options.registers != Registers::None) {
    for (const Register& reg : trace.layout->registers()) {
      if (reg.name.empty() || (options.registers == Registers::General && !reg.is_general)) continue;
      registers_.push_back({.reg = &reg,
                            .name = names_.intern("reg." + reg.name),
                            .reading = reading_of(reg),
                            .is_in_fast_frames = is_in_fast_frames(reg, *trace.layout),
                            .is_by_name_only = options.registers == Registers::Auto && !reg.is_general});
    }
  }
}

void FramePlanner::draw_up(FramePlan& plan, const Frame& frame, const Placement& placement,
                           bool time_is_synthetic) {
  const CodeName& name = code_names_.of(frame, placement);
  plan.start(frame, frame_, name.label, placement.opens_call, continued_);
  add_head(plan, frame, placement, name, time_is_synthetic);
  add_memory(plan, frame, placement);
  variables_.add(plan, frame);
  add_static_data(plan, frame);
  add_registers(plan, frame, placement);
  if (blobs_ != Blobs::None) add_blobs(plan, frame);
  variables_.add_counters(plan);
}

void FramePlanner::add_head(FramePlan& plan, const Frame& frame, const Placement& placement,
                            const CodeName& name, bool time_is_synthetic) {
  plan.add({tracepoint_, std::int32_t{frame.tracepoint}});
  if (placement.pc) plan.add({pc_, Pointer{*placement.pc}});
  if (!name.source.empty()) plan.add({loc_, name.source});
  if (!name.inlined.empty()) plan.add({inlined_, name.inlined});
  if (time_is_synthetic) plan.add({time_, "synthetic"});
  if (placement.is_guessed) plan.add({thread_, "guessed"});
}

// What the frame was recorded by; null if that is not known.
const ActionPlan* FramePlanner::actions_of(const Frame& frame, const Placement& placement) const {
  const LocationTable::Entry* entry = placement.entry;
  if (entry == nullptr) {
    // Any location of the tracepoint will do: what does not fit gets no name.
    const auto entries = locations_.of(frame.tracepoint);
    if (entries.empty()) return nullptr;
    entry = &entries.front();
  }
  return placement.is_step ? &entry->plan.step : &entry->plan.hit;
}

void FramePlanner::add_memory(FramePlan& plan, const Frame& frame, const Placement& placement) {
  const ActionPlan* const actions = actions_of(frame, placement);
  labels_.label(frame, placement.registers, actions);
  if (labels_.has_read_values()) plan.set_for_one_frame();
  named_in_frame_.clear();
  texts_in_frame_.clear();
  for (const NamedMemory& item : labels_.named())
    if (item.is_string && texts_in_frame_.size() < kMaxDistinctItems) texts_in_frame_.push_back(item.name);
  for (const NamedMemory& item : labels_.named()) {
    // An item that was collected twice is shown once; the blobs hold both.
    const bool has_leaves =
        item.layout != nullptr && !item.is_string && !item.value && !item.layout->is_reference;
    if (has_leaves || is_first(item.name, item.is_string)) add_named(plan, item);
  }
  if (actions != nullptr) add_register_variables(plan, *actions, placement.registers);
  if (!labels_.unnamed().empty()) add_unnamed(plan);
}

void FramePlanner::add_register_variables(FramePlan& plan, const ActionPlan& actions,
                                          const Block* registers) {
  using Place = RegisterVariable::Place;
  const std::endian order = trace_.format.order;
  for (const PlannedRegister& variable : actions.registers) {
    if (variable.place == Place::Pieces) {
      add_pieces(plan, variable, registers);
      continue;
    }
    const ValueLayout& layout = *variable.layout;
    if (variable.place == Place::Computed) {
      if (layout.is_reference || layout.leaves.size() != 1) continue;
      const auto value = computed(variable.steps, values_in(registers));
      if (value && is_first(variable.name))
        plan.add_own(argument_of(layout.leaves.front(), *value, names_, flags_));
      continue;
    }
    std::span<const std::byte> bytes;
    if (registers != nullptr) bytes = bytes_of(*variable.reg, registers->bytes);
    if (bytes.empty()) continue;
    if (layout.is_reference) {
      if (is_first(variable.name)) add_reference(plan, variable.name, layout, bytes);
    } else if (layout.size <= bytes.size()) {
      // The lowest bytes of the register.
      add_leaves(plan, layout,
                 order == std::endian::little ? bytes.first(layout.size) : bytes.last(layout.size));
    }
  }
}

FrameValues FramePlanner::values_in(const Block* registers) const {
  const std::endian order = trace_.format.order;
  return {
      .of_register = [registers, order](const Register& reg) -> std::optional<std::uint64_t> {
        if (registers == nullptr) return std::nullopt;
        const auto bytes = bytes_of(reg, registers->bytes);
        return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order));
      },
      .in_memory = [this, order](std::uint64_t address, std::size_t size) -> std::optional<std::uint64_t> {
        const auto bytes = labels_.memory_at(address, size);
        return bytes.empty() ? std::nullopt : std::optional(unsigned_bits(bytes, order));
      },
      .address_bytes = trace_.layout ? trace_.layout->address_bytes() : sizeof(std::uint64_t)};
}

// The leaves that lie in what is there of a value in pieces.
void FramePlanner::add_pieces(FramePlan& plan, const PlannedRegister& variable, const Block* registers) {
  using Place = RegisterVariable::Place;
  const std::endian order = trace_.format.order;
  std::vector<std::byte> value;
  std::vector<bool> is_there;
  for (const PlannedRegister::Piece& piece : variable.pieces) {
    const std::uint64_t size = std::min(piece.size, variable.layout->size - value.size());
    std::span<const std::byte> bytes;
    if (piece.reg != nullptr && registers != nullptr) bytes = bytes_of(*piece.reg, registers->bytes);
    std::array<std::byte, sizeof(std::uint64_t)> number;
    if (piece.place == Place::Computed) {
      const auto computed_value = computed(piece.steps, values_in(registers));
      if (computed_value) {
        store(number.data(), *computed_value, order);
        bytes = number;
      }
    }
    const bool is_known = bytes.size() >= size && piece.place != Place::Nowhere;
    if (is_known) {
      const auto lowest = order == std::endian::little ? bytes.first(size) : bytes.last(size);
      value.insert(value.end(), lowest.begin(), lowest.end());
    } else {
      value.resize(value.size() + size);
    }
    is_there.resize(value.size(), is_known);
  }
  for (const PlannedLeaf& leaf : variable.layout->leaves) {
    if (leaf.size > value.size() || leaf.offset > value.size() - leaf.size) continue;
    const auto first = is_there.begin() + static_cast<std::ptrdiff_t>(leaf.offset);
    if (!std::all_of(first, first + static_cast<std::ptrdiff_t>(leaf.size), std::identity{})) continue;
    if (is_first(leaf.name))
      plan.add_own(
          argument_of(leaf, std::span(value).subspan(leaf.offset, leaf.size), order, names_, flags_));
  }
}

void FramePlanner::add_named(FramePlan& plan, const NamedMemory& item) {
  if (item.is_string) {
    plan.add_own({item.name, string_text(item.bytes)});
  } else if (item.value) {
    const bool is_typed =
        item.layout != nullptr && item.layout->leaves.size() == 1 && !item.layout->is_reference;
    plan.add_own(is_typed ? argument_of(item.layout->leaves.front(), *item.value, names_, flags_)
                          : Argument(item.name, static_cast<std::int64_t>(*item.value)));
  } else if (item.layout == nullptr) {
    add_untyped(plan, item);
  } else if (!item.layout->is_reference) {
    add_leaves(plan, *item.layout, item.bytes);
  } else {
    add_reference(plan, item.name, *item.layout, item.bytes);
  }
}

// Where it refers to, others may have recorded.
void FramePlanner::add_reference(FramePlan& plan, NameId name, const ValueLayout& layout,
                                 std::span<const std::byte> bytes) {
  plan.set_for_one_frame();
  const auto target = labels_.memory_at(unsigned_bits(bytes, trace_.format.order), layout.size);
  if (target.empty()) {
    plan.add_number(name, Reading::Pointer, bytes);
    return;
  }
  // It is called as the reference is.
  std::erase(named_in_frame_, name);
  add_leaves(plan, layout, target);
}

void FramePlanner::add_untyped(FramePlan& plan, const NamedMemory& item) {
  const Reading reading = reading_of(item.bytes.size(), item.size);
  if (is_number(reading))
    plan.add_number(item.name, reading, item.bytes);
  else
    plan.add_own({item.name, spelled_text(item.bytes, item.size)});
}

// As many as were recorded. One that two items have is shown once.
void FramePlanner::add_leaves(FramePlan& plan, const ValueLayout& layout, std::span<const std::byte> bytes) {
  for (const PlannedLeaf& leaf : layout.leaves) {
    if (leaf.offset > bytes.size() ||
        (bytes.size() - leaf.offset < leaf.size && leaf.form != Leaf::Form::Text))
      continue;
    if (!is_first(leaf.name)) continue;
    const auto here =
        bytes.subspan(leaf.offset, std::min<std::size_t>(leaf.size, bytes.size() - leaf.offset));
    const auto reading = reading_of(leaf);
    if (!reading)
      plan.add_own(argument_of(leaf, here, trace_.format.order, names_, flags_));
    else if (is_number(*reading))
      plan.add_number(leaf.name, *reading, here);
    else
      plan.add_own(
          {leaf.name, *reading == Reading::String ? string_text(here) : spelled_text(here, leaf.size)});
  }
  if (layout.more > 0) plan.add({layout.more_name, layout.more});
}

// A text (collect/s) comes before the pointer to it, wherever that was collected.
bool FramePlanner::is_first(NameId name, bool is_text) {
  if (!is_text && std::ranges::find(texts_in_frame_, name) != texts_in_frame_.end()) return false;
  if (std::ranges::find(named_in_frame_, name) != named_in_frame_.end()) return false;
  if (named_in_frame_.size() < kMaxDistinctItems) named_in_frame_.push_back(name);
  return true;
}

// One argument an address: of several blocks there, the first one's bytes (and the tail of a longer one,
// which only the blob shows).
void FramePlanner::add_unnamed(FramePlan& plan) {
  by_address_.assign(labels_.unnamed().begin(), labels_.unnamed().end());
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  const auto same = [](const Block* a, const Block* b) { return a->address == b->address; };
  by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  for (const Block* block : by_address_) {
    const auto name = memory_name(block->address);
    if (!name)
      plan.add_own({memory_, fmt::format("{:#x}: {}", block->address, spelled_text(block->bytes, 0))});
    else
      add_untyped(plan, {.name = *name, .bytes = block->bytes, .size = block->bytes.size()});
  }
}

std::optional<NameId> FramePlanner::memory_name(std::uint64_t address) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  if (memory_names_.size() >= kMaxMemoryNames) return std::nullopt;
  return memory_names_.emplace(address, names_.intern(fmt::format("mem.{:#x}", address))).first->second;
}

void FramePlanner::add_static_data(FramePlan& plan, const Frame& frame) {
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::StaticData) continue;
    plan.add_own(
        {static_data_, is_text(block.bytes) ? string_text(block.bytes) : spelled_text(block.bytes, 0)});
  }
}

bool FramePlanner::is_shown(const ShownRegister& shown, const ActionPlan* actions) const {
  if (wanted_registers_ != Registers::Auto) return true;
  const bool is_wanted = actions == nullptr || actions->wanted.all;
  if (is_wanted && !shown.is_by_name_only) return true;
  return actions != nullptr &&
         std::ranges::find(actions->wanted.named, shown.reg) != actions->wanted.named.end();
}

void FramePlanner::add_registers(FramePlan& plan, const Frame& frame, const Placement& placement) {
  if (placement.registers == nullptr) return;
  const auto entries = locations_.of(frame.tracepoint);
  const bool is_fast = placement.entry != nullptr
                           ? placement.entry->location->is_fast
                           : std::ranges::any_of(entries, [](const auto& e) { return e.location->is_fast; });
  const ActionPlan* const actions = actions_of(frame, placement);
  for (const ShownRegister& shown : registers_) {
    if ((is_fast && !shown.is_in_fast_frames) || !is_shown(shown, actions)) continue;
    const auto bytes = bytes_of(*shown.reg, placement.registers->bytes);
    if (bytes.empty()) continue;
    if (is_number(shown.reading))
      plan.add_number(shown.name, shown.reading, bytes);
    else
      plan.add_own({shown.name, register_text(*shown.reg, bytes, trace_.format.order)});
  }
}

// Blocks at one address make one blob: the first one's bytes, then the tail of a longer one.
void FramePlanner::add_blobs(FramePlan& plan, const Frame& frame) {
  by_address_.clear();
  bool has_registers = false;
  for (const Block& block : frame.blocks) {
    if (block.kind == Block::Kind::Memory && !block.bytes.empty()) by_address_.push_back(&block);
    if (block.kind == Block::Kind::StaticData && !is_text(block.bytes)) plan.add_blob("/static", block.bytes);
    if (block.kind == Block::Kind::Registers && blobs_ == Blobs::All && !has_registers) {
      has_registers = true;
      plan.add_blob("/registers", block.bytes);
    }
  }
  std::ranges::stable_sort(by_address_, {}, &Block::address);
  for (std::size_t i = 0; i < by_address_.size();) {
    const std::uint64_t address = by_address_[i]->address;
    std::size_t size = by_address_[i]->bytes.size();
    plan.add_blob(fmt::format("/memory/{:#x}", address), by_address_[i]->bytes);
    for (++i; i < by_address_.size() && by_address_[i]->address == address; ++i) {
      const auto other = by_address_[i]->bytes;
      if (other.size() <= size) continue;
      plan.add_to_blob(other.subspan(size));
      size = other.size();
    }
  }
}

}  // namespace convert::tfile
