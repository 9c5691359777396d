// Calls that the user does not want to see. What is inside them stays, and so do the times around them: only
// their own begin and end are not handed on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/sink.h"

namespace convert {

// Labels of calls that are to be left out have this category.
inline constexpr std::string_view kLeftOut = "(left out)";

class LeftOutCalls final : public EventSink {
 public:
  // Borrows both for its whole life.
  LeftOutCalls(EventSink& next, Names& names)
      : next_(next), names_(names), left_out_(names.intern(kLeftOut)) {}

  void add_lanes(std::span<const LaneInfo> lanes) override { next_.add_lanes(lanes); }
  void write(std::span<const MergedRun> runs) override;

 private:
  enum class Answer : std::uint8_t { Unknown, Stays, LeftOut };
  bool is_left_out(const Slot& slot);

  EventSink& next_;
  const Names& names_;
  NameId left_out_;
  std::vector<Answer> answers_;  // by label
  std::vector<MergedRun> kept_;
};

}  // namespace convert
