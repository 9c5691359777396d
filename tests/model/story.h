// A source for tests of one lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/timeline.h"

namespace convert {

// Fills one lane in a single pump, and then ends.
class Story : public Source {
 public:
  Story(Lane& lane, std::function<void(Lane&)> fill) : lane_(lane), fill_(std::move(fill)) {}
  bool pump(const PumpBudget&) override {
    fill_(lane_);
    return false;
  }
  std::uint64_t watermark_ns() const override { return lane_.last_ns(); }

 private:
  Lane& lane_;
  std::function<void(Lane&)> fill_;
};

}  // namespace convert
