// Works out what is said of a frame: its instant or call, its values as arguments and counters, its memory as
// blobs. The names are interface: scripts and queries rely on them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/actions/memory_labels.h"
#include "converters/tfile/events/code_names.h"
#include "converters/tfile/events/frame_plan.h"
#include "converters/tfile/events/options.h"
#include "converters/tfile/events/shown_variables.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/placer.h"

namespace convert::tfile {

class FramePlanner {
 public:
  // Borrows all for its life; `symbols` may be null.
  FramePlanner(const TraceFile& trace, const LocationTable& locations, const Symbols* symbols,
               const Options& options, ImportContext& context);

  // Draws up `plan` for the frame at hand. Calls that it closes are ended by the caller.
  void draw_up(FramePlan& plan, const Frame& frame, const Placement& placement, bool time_is_synthetic);

 private:
  struct ShownRegister {
    const Register* reg;
    NameId name;
    Reading reading;
    bool is_in_fast_frames;  // fast tracepoints record only these; all others are zero bytes there
    bool is_by_name_only;    // shown where the tracepoint's actions name it
  };
  void add_head(FramePlan& plan, const Frame& frame, const Placement& placement, const CodeName& name,
                bool time_is_synthetic);
  void add_memory(FramePlan& plan, const Frame& frame, const Placement& placement);
  void add_named(FramePlan& plan, const NamedMemory& item);
  void add_reference(FramePlan& plan, NameId name, const ValueLayout& layout,
                     std::span<const std::byte> bytes);
  void add_untyped(FramePlan& plan, const NamedMemory& item);
  void add_register_variables(FramePlan& plan, const ActionPlan& actions, const Block* registers);
  void add_pieces(FramePlan& plan, const PlannedRegister& variable, const Block* registers);
  FrameValues values_in(const Block* registers) const;
  void add_leaves(FramePlan& plan, const ValueLayout& layout, std::span<const std::byte> bytes);
  bool is_first(NameId name, bool is_text = false);
  void add_unnamed(FramePlan& plan);
  void add_static_data(FramePlan& plan, const Frame& frame);
  const ActionPlan* actions_of(const Frame& frame, const Placement& placement) const;
  bool is_shown(const ShownRegister& shown, const ActionPlan* actions) const;
  void add_registers(FramePlan& plan, const Frame& frame, const Placement& placement);
  void add_blobs(FramePlan& plan, const Frame& frame);
  std::optional<NameId> memory_name(std::uint64_t address);

  const TraceFile& trace_;
  const LocationTable& locations_;
  Names& names_;
  const Blobs blobs_;
  const Registers wanted_registers_;
  CodeNames code_names_;
  ContinuedLabels continued_;
  MemoryLabels labels_;
  ShownVariables variables_;

  NameId frame_, tracepoint_, pc_, loc_, inlined_, time_, thread_, static_data_, memory_;
  std::vector<ShownRegister> registers_;
  std::unordered_map<std::uint64_t, NameId> memory_names_;

  std::vector<NameId> named_in_frame_, texts_in_frame_;  // of the frame at hand
  std::string flags_;                                    // of the value at hand
  std::vector<const Block*> by_address_;
};

}  // namespace convert::tfile
