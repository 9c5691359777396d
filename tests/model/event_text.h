// A sink for tests: the merged stream as text, one event per line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/timeline.h"

namespace convert {

// The limits of the FXT sink, which most tests use.
inline constexpr LaneOptions kTestLanes{
    .limits = {.arguments_per_record = 15, .depth = 512, .id_limit = std::uint64_t{1} << 32}};

// Lines such as
//   100/101 [10, 20] app:main frame=1 repaired="longjmp"      a complete call
//   100/101 [10 app:main      100/101 10] app:main            a begin and an end
//   100/101 @15 event:exec path="/bin/ls"                     an instant
//   100/101 @15 counter app:heap #7 bytes=12                  a counter; flows have the same form
class EventText : public EventSink {
 public:
  explicit EventText(const Names& names) : names_(names) {}

  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::span<const MergedRun> runs) override;
  std::uint64_t events_written() const override { return lines_.size(); }

  const std::vector<std::string>& lines() const { return lines_; }
  // "process 100 demo", "thread 100/101 worker".
  const std::vector<std::string>& threads() const { return threads_; }

 private:
  std::string text_of(const PendingEvent& event) const;
  std::string text_of(const Argument& argument) const;

  const Names& names_;
  std::vector<std::string> ids_;  // by lane
  std::vector<std::string> threads_;
  std::vector<std::string> lines_;
};

}  // namespace convert
