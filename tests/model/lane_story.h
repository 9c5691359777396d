// Runs a Timeline with one lane and returns its events as text.
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/timeline.h"
#include "tests/model/event_text.h"
#include "tests/model/story.h"

namespace convert {

class LaneStory : public testing::Test {
 protected:
  // The lane belongs to thread 8 in process 7.
  std::vector<std::string> lines_of(const std::function<void(Lane&)>& fill,
                                    const LaneOptions& options = kTestLanes) {
    Timeline timeline({.lanes = options}, notes);
    timeline.begin_input("story");
    Lane& lane = timeline.add_lane(
        {.process = ProcessId{7}, .thread = ThreadId{8}, .process_name = {}, .thread_name = {}});
    timeline.add_source(std::make_unique<Story>(lane, fill), {&lane});
    EventText text(names);
    timeline.run(text, [] {});
    too_deep = timeline.totals().too_deep.front();
    cut_arguments = timeline.totals().cut_arguments;
    return text.lines();
  }

  Names names;
  Notes notes;
  TooDeepCount too_deep;
  std::uint64_t cut_arguments = 0;
};

}  // namespace convert
