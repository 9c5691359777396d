#include "converters/tfile/events/recipe_builder.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <span>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/argument_name.h"
#include "converters/tfile/frames/frame_clock.h"

namespace convert::tfile {
namespace {

// A file may have any number of unknown variables. At most this number of their names are interned.
constexpr std::size_t kMaxVariables = 65536;

bool is_printable(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= 0x20 || c == '\t' || c == '\n' || c == 0;
  });
}

}  // namespace

VariableArguments::VariableArguments(const Description& description, Names& names)
    : names_(names), label_(names.intern_label("variable", "variable")) {
  const auto clock = StampReader(description).variable();
  for (const TraceVariable& known : description.variables)
    variables_[known.number] = {.name = names_.intern("$" + known.name), .is_counter = known.number != clock};
}

VariableArguments::Shown& VariableArguments::variable(std::uint64_t number) {
  const auto found = variables_.find(number);
  if (found != variables_.end()) return found->second;
  // Variables beyond the limit share one name.
  const bool is_too_many = variables_.size() >= kMaxVariables;
  const std::string name = is_too_many ? "$unknown" : fmt::format("$variable_{}", number);
  return variables_.try_emplace(is_too_many ? ~std::uint64_t{0} : number, Shown{.name = names_.intern(name)})
      .first->second;
}

void VariableArguments::collect(const std::vector<HeldBlock>& blocks) {
  for (Shown* const shown : in_frame_) shown->held.clear();
  in_frame_.clear();
  for (const HeldBlock& block : blocks) {
    if (block.kind != Block::Kind::Variable) continue;
    Shown& shown = variable(block.address);
    if (shown.held.empty()) in_frame_.push_back(&shown);
    shown.held.push_back(block.bytes);
  }
}

void VariableArguments::add(RecipeDraft& draft, FrameMemory& memory) {
  collect(memory.blocks());
  for (const Shown* shown : in_frame_) {
    const FrameBytes& latest = shown->held.back();
    draft.add_number(shown->name, ValueForm::Signed, latest);
    // The values must be read, because an earlier value is shown only if it differs from the latest value.
    const auto value_of = [&](const FrameBytes& bytes) {
      return static_cast<std::int64_t>(unsigned_bits(memory.look_at(bytes), memory.order()));
    };
    constexpr std::size_t kMaxEarlier = 16;
    for (std::size_t i = 0; i + 1 < shown->held.size() && i < kMaxEarlier; ++i) {
      const std::int64_t earlier = value_of(shown->held[i]);
      if (earlier == value_of(latest)) continue;
      const std::string name = fmt::format("{} ({})", names_.text(shown->name), i + 1);
      draft.add({names_.intern(name), earlier});
    }
  }
}

void VariableArguments::add_counters(RecipeDraft& draft) const {
  for (const Shown* shown : in_frame_)
    if (shown->is_counter) draft.add_counter(label_, shown->name, shown->held.back());
}

RecipeBuilder::RecipeBuilder(const TraceFile& trace, const LocationTable& locations,
                             const ProgramSymbols* symbols, const ShownFrames& choice,
                             ImportContext& import_context)
    : locations_(locations),
      blobs_(import_context.options.blobs),
      code_names_(import_context.names, symbols),
      continued_(import_context.names, import_context.timeline.options().lanes.limits.arguments_per_record),
      plots_(choice.plotted, import_context.names),
      wholes_(import_context.names),
      texts_(symbols, import_context.names, trace.format.order),
      memory_(trace.register_layout(), trace.format.order,
              [symbols](std::uint64_t address) {
                return symbols != nullptr ? symbols->constant_bytes(address) : std::span<const std::byte>();
              }),
      draft_(import_context.names.intern(argument_names::kFrame), continued_, plots_, wholes_, texts_),
      callers_(trace, symbols, memory_, import_context),
      values_(trace, symbols, draft_, memory_, texts_, import_context),
      variables_(trace.description, import_context.names),
      registers_(trace, choice.registers, import_context.names) {
  Names& names = import_context.names;
  own_names_ = {.tracepoint = names.intern(argument_names::kTracepoint),
                .pc = names.intern(argument_names::kPc),
                .loc = names.intern(argument_names::kLoc),
                .inlined = names.intern(argument_names::kInlined),
                .time = names.intern(argument_names::kTime),
                .thread = names.intern(argument_names::kThread),
                .static_data = names.intern("static data")};
}

void RecipeBuilder::build(Recipe& recipe, const Frame& frame, const FrameContext& context,
                          bool time_is_synthetic) {
  const ExpectedFrames* const location = location_of(frame.tracepoint, context);
  const CodeName& name =
      code_names_.name_of(frame, context, location != nullptr ? location->location : nullptr);
  const ExpectedBlocks* expected = nullptr;
  if (location != nullptr) expected = context.is_step ? &location->step : &location->hit;
  // From here on, the frame is read only through `memory_`, which notes whether values were used.
  memory_.start(frame, is_fast(frame.tracepoint, context));
  draft_.start(recipe, memory_, name.label, context.opens_call);
  add_head(frame.tracepoint, context, name, time_is_synthetic);
  if (context.pc && expected != nullptr) callers_.add(draft_, frame, *context.pc, *expected, name.label);
  values_.add(frame.number, frame.tracepoint, context, location);
  variables_.add(draft_, memory_);
  add_static_data();
  registers_.add(draft_, memory_, expected);
  if (blobs_ != Blobs::None) add_blobs();
  variables_.add_counters(draft_);
  draft_.finish();
}

void RecipeBuilder::add_head(std::int16_t tracepoint, const FrameContext& context, const CodeName& name,
                             bool time_is_synthetic) {
  draft_.add({own_names_.tracepoint, std::int32_t{tracepoint}});
  if (context.pc) draft_.add({own_names_.pc, Pointer{*context.pc}});
  if (!name.source.empty()) draft_.add({own_names_.loc, name.source});
  if (!name.inlined.empty()) draft_.add({own_names_.inlined, name.inlined});
  if (time_is_synthetic) draft_.add({own_names_.time, "synthetic"});
  if (context.is_guessed) draft_.add({own_names_.thread, "guessed"});
}

// The location whose actions a frame is compared with; null if the tracepoint is unknown.
const ExpectedFrames* RecipeBuilder::location_of(std::int16_t tracepoint, const FrameContext& context) const {
  if (context.location != nullptr) return context.location;
  // Uses any location of the tracepoint. Blocks that do not match it get no name.
  const auto locations = locations_.locations_of(tracepoint);
  return locations.empty() ? nullptr : &locations.front();
}

bool RecipeBuilder::is_fast(std::int16_t tracepoint, const FrameContext& context) const {
  if (context.location != nullptr) return context.location->location->is_fast;
  return locations_.has_fast(tracepoint);
}

void RecipeBuilder::add_static_data() {
  for (const HeldBlock& block : memory_.blocks()) {
    if (block.kind != Block::Kind::StaticData) continue;
    const auto bytes = memory_.look_at(block.bytes);
    draft_.add({own_names_.static_data,
                is_printable(bytes) ? shown_string(string_text(bytes)) : spelled_text(bytes, 0)});
  }
}

// Adds a blob for each address: the first block at this address, and then the additional bytes of longer
// blocks.
void RecipeBuilder::add_blobs() {
  by_address_.clear();
  bool has_registers = false;
  for (const HeldBlock& block : memory_.blocks()) {
    if (block.kind == Block::Kind::Memory && !block.bytes.empty()) by_address_.push_back(block);
    if (block.kind == Block::Kind::StaticData && !is_printable(memory_.look_at(block.bytes)))
      draft_.add_blob("/static", block.bytes);
    const bool shows_registers = blobs_ == Blobs::All || memory_.layout() == nullptr;
    if (block.kind == Block::Kind::Registers && shows_registers && !has_registers) {
      has_registers = true;
      draft_.add_blob("/registers", block.bytes);
    }
  }
  std::ranges::stable_sort(by_address_, {}, &HeldBlock::address);
  for (std::size_t i = 0; i < by_address_.size();) {
    const std::uint64_t address = by_address_[i].address;
    std::size_t size = by_address_[i].bytes.size();
    draft_.add_blob(fmt::format("/memory/{:#x}", address), by_address_[i].bytes);
    for (++i; i < by_address_.size() && by_address_[i].address == address; ++i) {
      const FrameBytes& other = by_address_[i].bytes;
      if (other.size() <= size) continue;
      draft_.add_to_blob(other.subspan(size));
      size = other.size();
    }
  }
}

}  // namespace convert::tfile
