// Matches the items of a tracepoint with the expressions among its actions. A trace file does not record
// which expression belongs to which item. ItemMatch concludes this from the order of items and expressions,
// from the form of the expressions, and from the facts that the program gives.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "converters/tfile/actions/alignment.h"
#include "converters/tfile/actions/expected_blocks.h"

namespace convert::tfile {

class ItemMatch {
 public:
  // The facts that a program gives about the items at one place in its code.
  class Evidence {
   public:
    virtual ~Evidence() = default;
    // True if the item must have an expression, false if it need not have one. Returns nothing if the program
    // does not show this. In this case, the kind and the text of the item decide.
    virtual std::optional<bool> has_expression(std::size_t item) = 0;
    // True if the expression may have recorded the item at the item's place in the program.
    virtual bool fits(std::size_t item, std::size_t expression) = 0;
  };

  // If `evidence` is null, no facts of a program are used. Returns false if no alignment of the items with
  // the expressions is possible.
  bool match(const ExpectedBlocks& expected, Evidence* evidence);

  // The item of an expression, if all possible alignments give it the same item.
  std::optional<std::size_t> item_of(std::size_t expression) const { return alignment_.item_of(expression); }
  // True if at least one item was certainly not recorded at its place in the program. can_be_misfit() is true
  // for each item for which this is possible.
  bool has_misfits() const { return alignment_.has_misfits(); }
  bool can_be_misfit(std::size_t item) const { return alignment_.can_be_misfit(item); }
  // Returns the only item that a memory range can hold, or nothing if several items are possible.
  std::optional<std::size_t> item_in_range(const ExpectedBlocks& expected) const;

 private:
  Alignment alignment_;
};

}  // namespace convert::tfile
