// The counters of a timeline. Each argument of a counter has its own track. If a track gets too many values,
// neighboring values are merged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fxt/tools/drawing/picture.h"

namespace fxt::tools {

class DrawnCounters {
 public:
  using Key =
      std::tuple<std::uint64_t, std::string, std::uint64_t, std::string>;  // process, name, id, argument

  enum class Added : std::uint8_t { New, Merged, TooMany };
  // Keeps only the greatest value in each step of time. Returns TooMany if no track is left for this counter.
  Added add(const Key& key, const Drawing::Value& value) {
    if (counters_.size() >= kMaxCounters && !counters_.contains(key)) return Added::TooMany;
    Series& series = counters_[key];
    if (!series.add(value)) return Added::Merged;
    if (series.values.size() > kMaxValues) series.thin_out();
    return Added::New;
  }
  std::vector<Drawing::Lane> lanes() const {
    std::vector<Drawing::Lane> lanes;
    for (const auto& [key, series] : counters_) {
      const auto& [process, name, id, argument] = key;
      const bool says_more = argument != name && argument != "value";
      lanes.push_back({.name = fmt::format("{}{}{}", name, id == 0 ? "" : fmt::format(" {}", id),
                                           says_more ? ": " + argument : ""),
                       .kind = Drawing::Lane::Kind::Counter,
                       .values = series.values});
    }
    return lanes;
  }

 private:
  static constexpr std::size_t kMaxCounters = 64, kMaxValues = 4'000;

  struct Series {
    // Returns false if the value was merged with the last value.
    bool add(const Drawing::Value& value) {
      if (values.empty() || value.ns >= values.back().ns + step_ns) {
        values.push_back(value);
        return true;
      }
      values.back().value = std::max(values.back().value, value.value);
      return false;
    }
    void thin_out() {
      step_ns = std::max(2 * step_ns, 2 * (values.back().ns - values.front().ns) / kMaxValues);
      for (const Drawing::Value& value : std::exchange(values, {})) add(value);
    }

    std::vector<Drawing::Value> values;
    std::uint64_t step_ns = 1;
  };
  std::map<Key, Series> counters_;
};

}  // namespace fxt::tools
