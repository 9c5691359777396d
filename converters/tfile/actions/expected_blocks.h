// What the frames of a tracepoint location are expected to hold. Worked out once per location, before frames
// are read.
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
#include "converters/tfile/actions/alignment.h"
#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/wanted_registers.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/description/register_layout.h"

namespace convert::tfile {

struct ExpectedBlocks {
  struct Item : CollectItem {
    NameId name{};  // of its argument
  };
  std::vector<Item> items;
  std::span<const TracepointAction> actions;
  std::vector<ExpressionShape> shapes;  // of the expressions among the actions
  std::vector<bool> is_needed;          // by expression: it records memory, or has a value that is shown
  // By expression: the item that it records, as far as this follows from the commands alone.
  std::vector<std::optional<std::size_t>> item_of;
  std::optional<std::size_t> range_item;  // the only item in the only memory range
  WantedRegisters wanted;
  // The kinds of a complete frame's blocks, in order: 'R', 'M', 'V', 'S'. Exact unless an expression jumps.
  std::string shape;
};

// The name of the trace state variable that an expression records if it does nothing else.
std::string_view variable_name(const Description& description, const ExpressionShape& shape);
// Whether an expression may record an item, by its form alone; and whether an item may have no expression.
bool may_record(const ExpressionShape& shape, std::string_view variable, const CollectItem& item);
bool may_have_no_expression(const CollectItem& item);

// What the hits and the while-stepping steps of one location hold.
struct ExpectedFrames {
  const TracepointLocation* location;
  ExpectedBlocks hit, step;
};

// The expected frames of all locations, by tracepoint.
class LocationTable {
 public:
  explicit LocationTable(std::vector<ExpectedFrames> locations = {});

  // The locations of one tracepoint; empty when it is unknown.
  std::span<const ExpectedFrames> of(std::int16_t tracepoint) const;
  const std::vector<ExpectedFrames>& all() const { return locations_; }  // by tracepoint

 private:
  std::vector<ExpectedFrames> locations_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // by tracepoint: first location, count
};

ExpectedFrames expect_frames(const TracepointLocation& location, const Description& description,
                             const RegisterLayout* layout, Names& names);

// Works out all locations. Borrows the locations and the layout. `layout` may be null.
LocationTable expect_all_frames(const Description& description, const RegisterLayout* layout, Names& names);

}  // namespace convert::tfile
