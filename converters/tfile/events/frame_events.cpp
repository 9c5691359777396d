#include "converters/tfile/events/frame_events.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <utility>

#include "converters/tfile/description/hex.h"
#include "converters/tfile/events/values.h"

namespace convert::tfile {
namespace {

// Names of addresses and of unknown variables are interned only so often: a file may have any number of them.
constexpr std::size_t kMaxMemoryNames = 65536;
constexpr std::size_t kMaxVariables = 65536;

// Items whose names are looked through for repetitions.
constexpr std::size_t kMaxDistinctItems = 256;

constexpr std::uint64_t kLowVariables = 64;

constexpr std::string_view kFrameBlobs = "gdb/frame/";

constexpr std::size_t kArgumentsPerCall = 2 * kArgumentsPerRecord;

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

void add_number(std::string& text, std::uint64_t number, int base) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
  text.append(digits.data(), end);
}

}  // namespace

FrameEvents::FrameEvents(const TraceFile& trace, const LocationTable& locations, const Symbols* symbols,
                         const Options& options, ImportContext& context)
    : trace_(trace),
      locations_(locations),
      context_(context),
      code_names_(context.names, locations, symbols),
      labels_(trace.layout ? &*trace.layout : nullptr, trace.format.order),
      clock_variable_(StampReader(trace.description).variable()) {
  Names& names = context.names;
  frame_ = names.intern("frame");
  tracepoint_ = names.intern("tracepoint");
  pc_ = names.intern("pc");
  loc_ = names.intern("loc");
  inlined_ = names.intern("inlined");
  time_ = names.intern("time");
  thread_ = names.intern("thread");
  static_data_ = names.intern("static data");
  memory_ = names.intern("mem");
  if (trace.layout && options.registers != Registers::None) {
    const bool all = options.registers == Registers::All;
    for (const Register& reg : trace.layout->registers()) {
      if (reg.name.empty() || (!all && !reg.is_general)) continue;
      registers_.push_back({&reg, names.intern("reg." + reg.name), is_in_fast_frames(reg, *trace.layout)});
    }
  }
  for (const Variable& known : trace.description.variables) {
    const std::string name = "$" + known.name;
    variables_[known.number] = {.name = names.intern(name),
                                .label = names.label(kVariableCategory, name),
                                .is_counter = known.number != clock_variable_};
  }
  low_variables_.resize(kLowVariables);
  for (auto& [number, shown] : variables_)
    if (number < kLowVariables) low_variables_[number] = &shown;
}

std::size_t FrameEvents::say(const Frame& frame, const Placement& placement, const FrameTime& time,
                             Lane& lane) {
  arguments_.clear();
  arguments_.reserve(8 + frame.blocks.size() + (placement.registers != nullptr ? registers_.size() : 0));
  const CodeName& name = code_names_.of(frame, placement);
  add_head(frame, placement, time, name);
  add_memory(frame, placement);
  collect_variables(frame);
  add_variables();
  add_static_data(frame);
  add_registers(frame, placement);
  std::size_t bytes = emit(placement, time.ns, name.label, lane);
  if (context_.options.blobs != Blobs::None) bytes += say_blobs(frame, time.ns, lane);
  say_counters(time.ns, lane);
  return bytes + in_frame_.size() * sizeof(Slot);
}

void FrameEvents::add_head(const Frame& frame, const Placement& placement, const FrameTime& time,
                           const CodeName& name) {
  if (frame.number <= std::numeric_limits<std::uint32_t>::max())
    add(frame_, static_cast<std::uint32_t>(frame.number));
  else
    add(frame_, frame.number);
  add(tracepoint_, std::int32_t{frame.tracepoint});
  if (placement.pc) add(pc_, Pointer{*placement.pc});
  if (!name.source.empty()) add(loc_, name.source);
  if (!name.inlined.empty()) add(inlined_, name.inlined);
  if (time.is_synthetic) add(time_, std::string("synthetic"));
  if (placement.is_guessed) add(thread_, std::string("guessed"));
}

void FrameEvents::add_memory(const Frame& frame, const Placement& placement) {
  const LocationTable::Entry* entry = placement.entry;
  if (entry == nullptr) {
    // Any location of the tracepoint will do: what does not fit gets no name.
    const auto entries = locations_.of(frame.tracepoint);
    if (!entries.empty()) entry = &entries.front();
  }
  const ActionPlan* plan = entry == nullptr    ? nullptr
                           : placement.is_step ? &entry->plan.step
                                               : &entry->plan.hit;
  labels_.label(frame, placement.registers, plan);
  named_in_frame_.clear();
  for (const NamedMemory& item : labels_.named()) {
    // An item that was collected twice is shown once; the blobs hold both.
    if (std::ranges::find(named_in_frame_, item.name) != named_in_frame_.end()) continue;
    if (named_in_frame_.size() < kMaxDistinctItems) named_in_frame_.push_back(item.name);
    if (item.value)
      add(item.name, static_cast<std::int64_t>(*item.value));
    else if (item.is_string)
      add(item.name, string_value(item.bytes));
    else
      add(item.name, memory_value(item.bytes, item.size, trace_.format.order, item.type));
  }
  if (!labels_.unnamed().empty()) add_unnamed(labels_.unnamed());
}

// One argument an address: of several blocks there, the first one's bytes (and the tail of a longer one,
// which only the blob shows).
void FrameEvents::add_unnamed(const std::vector<const Block*>& blocks) {
  by_address_.assign(blocks.begin(), blocks.end());
  if (by_address_.size() > 1) {
    std::ranges::stable_sort(by_address_, {}, &Block::address);
    const auto same = [](const Block* a, const Block* b) { return a->address == b->address; };
    by_address_.erase(std::unique(by_address_.begin(), by_address_.end(), same), by_address_.end());
  }
  for (const Block* block : by_address_) {
    bool is_exact = true;
    const NameId name = memory_name(block->address, is_exact);
    Value value = memory_value(block->bytes, block->bytes.size(), trace_.format.order);
    if (!is_exact)
      value = fmt::format("{:#x}: {}", block->address, spelled_bytes(block->bytes, kSpelledBytes));
    add(name, std::move(value));
  }
}

NameId FrameEvents::memory_name(std::uint64_t address, bool& is_exact) {
  if (const auto found = memory_names_.find(address); found != memory_names_.end()) return found->second;
  is_exact = memory_names_.size() < kMaxMemoryNames;
  if (!is_exact) return memory_;
  return memory_names_.emplace(address, context_.names.intern(fmt::format("mem.{:#x}", address)))
      .first->second;
}

FrameEvents::ShownVariable& FrameEvents::variable(std::uint64_t number) {
  if (number < kLowVariables && low_variables_[number] != nullptr) return *low_variables_[number];
  const auto found = variables_.find(number);
  if (found != variables_.end()) return found->second;
  // Too many unknown ones share one name.
  const bool is_too_many = variables_.size() >= kMaxVariables;
  const std::string name = is_too_many ? "$unknown" : fmt::format("$variable_{}", number);
  return variables_[is_too_many ? ~std::uint64_t{0} : number] = {
             .name = context_.names.intern(name), .label = context_.names.label(kVariableCategory, name)};
}

// The last value of a variable is its value after the actions.
void FrameEvents::collect_variables(const Frame& frame) {
  in_frame_.clear();
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::Variable) continue;
    ShownVariable& shown = variable(block.address);
    if (shown.frame == frame.number) {
      shown.earlier.push_back(shown.value);
    } else {
      shown.frame = frame.number;
      shown.earlier.clear();
      in_frame_.push_back(&shown);
    }
    shown.value = block.value;
    shown.bytes = block.bytes;
  }
}

void FrameEvents::add_variables() {
  for (const ShownVariable* shown : in_frame_) {
    add(shown->name, shown->value);
    std::size_t count = 0;
    for (const std::int64_t earlier : shown->earlier) {
      constexpr std::size_t kMaxEarlier = 16;  // named one by one
      ++count;
      if (earlier == shown->value || count > kMaxEarlier) continue;
      const std::string name = fmt::format("{} ({})", context_.names.text(shown->name), count);
      add(context_.names.intern(name), earlier);
    }
  }
}

void FrameEvents::add_static_data(const Frame& frame) {
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::StaticData) continue;
    if (is_text(block.bytes))
      add(static_data_, string_value(block.bytes));
    else
      add(static_data_, spelled_bytes(block.bytes, kSpelledBytes));
  }
}

void FrameEvents::add_registers(const Frame& frame, const Placement& placement) {
  if (placement.registers == nullptr) return;
  const auto entries = locations_.of(frame.tracepoint);
  const bool is_fast = placement.entry != nullptr
                           ? placement.entry->location->is_fast
                           : std::ranges::any_of(entries, [](const auto& e) { return e.location->is_fast; });
  for (const ShownRegister& shown : registers_) {
    if (is_fast && !shown.is_in_fast_frames) continue;
    const auto bytes = bytes_of(*shown.reg, placement.registers->bytes);
    if (!bytes.empty()) add(shown.name, register_value(*shown.reg, bytes, trace_.format.order));
  }
}

// One record holds 15 arguments, a begin and an end 30. What is more goes into further records of the same
// name, each with the frame's number first.
std::size_t FrameEvents::emit(const Placement& placement, std::uint64_t time_ns, LabelId label, Lane& lane) {
  const std::size_t total = arguments_.size();
  std::size_t bytes = total * sizeof(Argument);
  for (std::size_t begin = 0; begin < total;) {
    Arguments record;
    const bool is_first = begin == 0;
    const std::size_t count = std::min(total - begin, kArgumentsPerCall - (is_first ? 0 : 1));
    if (!is_first) record.add(argument_of(arguments_.front()));
    for (std::size_t i = begin; i < begin + count; ++i) record.add(argument_of(arguments_[i]));
    begin += count;
    bytes += sizeof(Slot);
    if (is_first && placement.opens_call) {
      lane.begin(time_ns, label, 0, record);
    } else if (record.size() <= kArgumentsPerRecord) {
      lane.instant(time_ns, label, record);
    } else {
      lane.begin(time_ns, label, 0, record);
      lane.end(time_ns);
    }
  }
  return bytes;
}

// Blocks at one address make one blob: the first one's bytes, then the tail of a longer one.
std::size_t FrameEvents::say_blobs(const Frame& frame, std::uint64_t time_ns, Lane& lane) {
  std::size_t bytes = 0;
  blob_name_ = kFrameBlobs;
  add_number(blob_name_, frame.number, 10);
  const std::size_t frame_part = blob_name_.size();
  const auto say = [&](std::string_view what, std::span<const std::byte> content) {
    blob_name_.resize(frame_part);
    blob_name_ += what;
    bytes += sizeof(Slot) + blob_name_.size() + content.size();
    lane.blob(time_ns, blob_name_, content);
  };
  by_address_.clear();
  bool has_registers = false;
  for (const Block& block : frame.blocks) {
    if (block.kind == Block::Kind::Memory && !block.bytes.empty()) by_address_.push_back(&block);
    if (block.kind == Block::Kind::StaticData && !is_text(block.bytes)) say("/static", block.bytes);
    if (block.kind == Block::Kind::Registers && context_.options.blobs == Blobs::All && !has_registers) {
      has_registers = true;
      say("/registers", block.bytes);
    }
  }
  if (by_address_.size() > 1) std::ranges::stable_sort(by_address_, {}, &Block::address);
  for (std::size_t i = 0; i < by_address_.size();) {
    const std::uint64_t address = by_address_[i]->address;
    std::span<const std::byte> content = by_address_[i]->bytes;
    for (++i; i < by_address_.size() && by_address_[i]->address == address; ++i) {
      const auto other = by_address_[i]->bytes;
      if (other.size() <= content.size()) continue;
      if (content.data() != joined_.data()) joined_.assign(content.begin(), content.end());
      joined_.insert(joined_.end(), other.begin() + static_cast<std::ptrdiff_t>(content.size()), other.end());
      content = joined_;
    }
    std::string what = "/memory/0x";
    add_number(what, address, 16);
    say(what, content);
  }
  return bytes;
}

void FrameEvents::say_counters(std::uint64_t time_ns, Lane& lane) {
  for (const ShownVariable* shown : in_frame_)
    if (shown->is_counter) {
      lane.counter(time_ns, shown->label, 0, {{shown->name, shown->value}});
    }
}

}  // namespace convert::tfile
