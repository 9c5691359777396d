// A sink for tests, which writes each merged event as a line of text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/timeline.h"

namespace convert {

// The limits of the FXT sink. Most tests use them.
inline constexpr LaneOptions kTestLanes{
    .limits = {.arguments_per_record = 15, .depth = 512, .id_limit = std::uint64_t{1} << 32}};

// Lines such as
//   100/101 [10, 20] app:main frame=1 repaired="longjmp"      a complete call
//   100/101 [10 app:main      100/101 10] app:main            the start and the end of a call
//   100/101 @15 event:exec path="/bin/ls"                     an instant
//   100/101 @15 counter app:heap #7 bytes=12                  a counter value
class EventText : public EventSink {
 public:
  explicit EventText(const Names& names) : names_(names) {}

  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::span<const MergedRun> runs) override;
  std::uint64_t events_written() const override { return lines_.size(); }

  const std::vector<std::string>& lines() const { return lines_; }
  // One line for each thread, such as "100/101 worker of demo".
  const std::vector<std::string>& threads() const { return threads_; }

 private:
  std::string text_of(const PendingEvent& event) const;
  std::string text_of(const Argument& argument) const;

  const Names& names_;
  std::vector<std::string> ids_;  // indexed by lane
  std::vector<std::string> threads_;
  std::vector<std::string> lines_;
};

}  // namespace convert
