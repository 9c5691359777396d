// Matches the items of a tracepoint with the expressions among its actions. A trace file does not contain
// which expression records which item. It follows from the order of both, from the form of the expressions,
// and, with a program, from the values in the program.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "converters/tfile/actions/alignment.h"
#include "converters/tfile/actions/expected_blocks.h"

namespace convert::tfile {

class ItemMatch {
 public:
  // The evidence of a program about the items at one place in its code.
  class Evidence {
   public:
    virtual ~Evidence() = default;
    // True if the item must have an expression, false if it may have none, nothing if its form decides.
    virtual std::optional<bool> has_expression(std::size_t item) = 0;
    // True if the expression can have recorded the item at the place that the program gives it.
    virtual bool fits(std::size_t item, std::size_t expression) = 0;
  };

  // If `evidence` is null, only the commands decide. Returns false if no order of the items explains all
  // expressions.
  bool match(const ExpectedBlocks& expected, Evidence* evidence);

  // The item of an expression, if all possible orders agree on it.
  std::optional<std::size_t> item_of(std::size_t expression) const { return alignment_.item_of(expression); }
  // True if some items must have been recorded at other places than the program gives them. can_be_misfit()
  // tells whether this item may be one of them.
  bool has_misfits() const { return alignment_.has_misfits(); }
  bool can_be_misfit(std::size_t item) const { return alignment_.can_be_misfit(item); }
  // Returns the only item that a memory range can hold, or nothing if several items are possible.
  std::optional<std::size_t> item_in_range(const ExpectedBlocks& expected) const;

 private:
  Alignment alignment_;
};

}  // namespace convert::tfile
