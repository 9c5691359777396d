// Says what a frame holds: its instant or call, its values as arguments and counters, its memory as blobs.
// The names are interface: scripts and queries rely on them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lane.h"
#include "converters/tfile/actions/memory_labels.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/placer.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/options.h"
#include "converters/tfile/program/code_names.h"

namespace convert::tfile {

inline constexpr std::string_view kTracepointCategory = "tracepoint";
inline constexpr std::string_view kVariableCategory = "variable";

class FrameEvents {
 public:
  // Borrows all for its life; `symbols` may be null.
  FrameEvents(const TraceFile& trace, const LocationTable& locations, const Symbols* symbols,
              const Options& options, ImportContext& context);

  // Says the frame in `lane` at `time.ns`, which must not be before anything said there. Calls that it closes
  // are ended by the caller. Returns about how many bytes of lane memory that took.
  std::size_t say(const Frame& frame, const Placement& placement, const FrameTime& time, Lane& lane);

 private:
  struct ShownRegister {
    const Register* reg;
    NameId name;
    bool is_in_fast_frames;  // fast tracepoints record only these; all others are zero bytes there
  };
  struct ShownVariable {
    NameId name{};
    LabelId label{};
    bool is_counter = true;
    // Of the frame at hand:
    std::uint64_t frame = ~std::uint64_t{0};
    std::int64_t value = 0;
    std::span<const std::byte> bytes = {};  // of the value
    std::vector<std::int64_t> earlier = {};
  };

  void add_head(const Frame& frame, const Placement& placement, const FrameTime& time, const CodeName& name);
  void add_memory(const Frame& frame, const Placement& placement);
  void add_unnamed(const std::vector<const Block*>& blocks);
  void collect_variables(const Frame& frame);
  void add_variables();
  void add_registers(const Frame& frame, const Placement& placement);
  void add_static_data(const Frame& frame);
  std::size_t emit(const Placement& placement, std::uint64_t time_ns, LabelId label, Lane& lane);
  std::size_t say_blobs(const Frame& frame, std::uint64_t time_ns, Lane& lane);
  void say_counters(std::uint64_t time_ns, Lane& lane);
  ShownVariable& variable(std::uint64_t number);
  NameId memory_name(std::uint64_t address, bool& is_exact);
  void add(NameId name, Value value) { arguments_.push_back({name, std::move(value)}); }

  const TraceFile& trace_;
  const LocationTable& locations_;
  ImportContext& context_;
  CodeNames code_names_;
  MemoryLabels labels_;
  std::optional<std::uint64_t> clock_variable_;

  NameId frame_, tracepoint_, pc_, loc_, inlined_, time_, thread_, static_data_, memory_;
  std::vector<ShownRegister> registers_;
  std::unordered_map<std::uint64_t, ShownVariable> variables_;
  std::vector<ShownVariable*> low_variables_;  // the usual numbers, found without hashing; null: not there
  std::string blob_name_;                      // of the blob at hand
  std::unordered_map<std::uint64_t, NameId> memory_names_;

  std::vector<NamedValue> arguments_;     // of the frame at hand
  std::vector<ShownVariable*> in_frame_;  // in order of appearance
  std::vector<NameId> named_in_frame_;
  std::vector<const Block*> by_address_;
  std::vector<std::byte> joined_;  // of blocks at one address
};

}  // namespace convert::tfile
