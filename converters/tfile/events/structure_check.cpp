#include "converters/tfile/events/structure_check.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/item_proof.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {
namespace {

// All frames of a tracepoint come from the same expressions, so a few frames are enough.
constexpr std::size_t kFramesOfTrace = 10'000;
constexpr std::uint64_t kBytesOfTrace = std::uint64_t{64} << 20;
constexpr std::size_t kFramesOfLocation = 4;

}  // namespace

void check_structures(const TraceFile& trace, const LocationTable& locations, ModuleSet& modules,
                      Notes& notes) {
  FrameReader reader(*trace.file, trace.description, trace.format);
  FrameClassifier classifier(trace, locations);
  FrameMemory memory(trace.register_layout(), trace.format.order);
  ItemProof proof(trace.description.variables, memory);
  fxt::Budget work(kFrameWork, trace.file->size());
  std::map<const TracepointLocation*, std::size_t> seen;
  for (std::size_t i = 0; i < kFramesOfTrace; ++i) {
    const Frame* const frame = reader.next();
    if (frame == nullptr || frame->offset > trace.description.frames_begin + kBytesOfTrace) return;
    const FrameContext context = classifier.classify(*frame);
    if (context.is_step || context.location == nullptr || frame->is_partial) continue;
    const TracepointLocation& location = *context.location->location;
    const bool is_at_location = context.pc == location.address;
    if (!is_at_location || ++seen[&location] > kFramesOfLocation) continue;
    const CodeScope* const scope = modules.scope_at(location.address);
    if (scope == nullptr || scope->has_types_only) continue;
    memory.start(*frame, location.is_fast);
    const ExpectedBlocks& expected = context.location->hit;
    if (!proof.start(expected, scope, work)) return;
    if (proof.scope() == nullptr) continue;
    proof.prove();
    for (std::size_t item = 0; item < expected.items.size(); ++item)
      if (proof.has_other_structure(item)) {
        modules.contradict(location.address,
                           fmt::format("in frame {}, `{}` of tracepoint {} is at another place in its "
                                       "structure than in this program",
                                       frame->number, expected.items[item].text, location.number),
                           notes);
        break;
      }
  }
}

}  // namespace convert::tfile
