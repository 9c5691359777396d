// The expected contents of frames of a tracepoint location. They are computed once per location, before
// frames are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/description/register_layout.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

struct ExpectedBlocks {
  struct Item : CollectItem {
    NameId name{};
  };
  std::vector<Item> items;
  std::span<const TracepointAction> actions;
  std::vector<ExpressionShape> shapes;  // one for each expression among the actions
  // By expression: the trace state variable that the expression records, if it records nothing else.
  std::vector<std::string_view> variables;
  // By expression: false if Replay omits it, because it records only a variable or belongs to a teval.
  std::vector<bool> is_needed;
  // By expression: the item to which it belongs, if the commands allow no other item.
  std::vector<std::optional<std::size_t>> item_of;
  std::optional<std::size_t> range_item;  // the item in the only memory range, if no other item is possible
  WantedRegisters wanted;
  bool records_stack = false;  // an action computes an address from the stack pointer
  // The kinds of a complete frame's blocks, in order: 'R', 'M', 'V', 'S'. Exact unless an expression jumps.
  std::string shape;
};

// The expected blocks of a location: for its hits, and for its while-stepping steps.
struct ExpectedFrames {
  const TracepointLocation* location;
  ExpectedBlocks hit, step;
};

// The expected frames of all locations, by tracepoint.
class LocationTable {
 public:
  explicit LocationTable(std::vector<ExpectedFrames> locations = {});
  LocationTable(LocationTable&&) = default;
  LocationTable& operator=(LocationTable&&) = default;

  // The locations of one tracepoint, in the order of definition; empty if the tracepoint is unknown.
  std::span<const ExpectedFrames> locations_of(std::int16_t tracepoint) const;
  // The first location of the tracepoint at an address; null if the address has none.
  const ExpectedFrames* location_at(std::int16_t tracepoint, std::uint64_t address) const;
  // True if the hits, or the steps, of one of the tracepoint's locations have blocks of the kinds in `shape`
  // (see ExpectedBlocks::shape). If `is_beginning`, more blocks may follow these blocks.
  bool has_hits_like(std::int16_t tracepoint, std::string_view shape, bool is_beginning) const {
    return has_shape(tracepoint, hit_shapes_, shape, is_beginning);
  }
  bool has_steps_like(std::int16_t tracepoint, std::string_view shape, bool is_beginning) const {
    return has_shape(tracepoint, step_shapes_, shape, is_beginning);
  }
  bool has_fast(std::int16_t tracepoint) const { return range_of(tracepoint).has_fast; }
  const std::vector<ExpectedFrames>& all() const { return locations_; }  // by tracepoint

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
    bool has_fast = false;
  };
  using Shapes = std::vector<std::string_view>;
  const Range& range_of(std::int16_t tracepoint) const {
    return ranges_[static_cast<std::uint16_t>(tracepoint)];
  }
  bool has_shape(std::int16_t tracepoint, const Shapes& shapes, std::string_view shape,
                 bool is_beginning) const;

  std::vector<ExpectedFrames> locations_;
  std::vector<Range> ranges_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_address_;  // addresses and indexes of locations
  Shapes hit_shapes_, step_shapes_;                                  // sorted
};

// A limit for the number of items times the number of expressions, summed over all locations.
inline constexpr fxt::Limit kMatchedItems{"comparisons of collected items with the bytecode of actions",
                                          10'000'000, 1024};

ExpectedFrames expect_frames(const TracepointLocation& location, const VariableIndex& variables,
                             const RegisterLayout* layout, Names& names, fxt::Budget& matches);

// Computes the expected blocks of all locations. The table points into the description and the layout, and
// the layout may be null. `matches` is a budget of kMatchedItems. If a location exceeds this budget, the
// expressions of the location have no items.
LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout, Names& names,
                                fxt::Budget& matches);

}  // namespace convert::tfile
