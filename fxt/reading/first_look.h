// The first pass over a trace: finds out whether its records are in the order of time. Reads only headers and
// times. Internal to the OrderedReader.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "fxt/format.h"
#include "fxt/header_words.h"
#include "fxt/reader.h"
#include "fxt/reading/record_stream.h"

namespace fxt {

class FirstLook {
 public:
  // Returns true if all records are in order. In rare cases, returns false because the order is unknown.
  bool is_in_order(RecordStream& stream) {
    RecordWords record;
    while (stream.next(record))
      if (!add(record.words)) return false;
    return true;
  }

 private:
  // Complete events with the same begin and the same index in the thread table.
  struct Tie {
    std::uint64_t begin = kTimeLimit;
    std::uint64_t shortest_end = 0;
  };

  bool add(std::span<const std::uint64_t> words) {
    switch (static_cast<RecordType>(RecordHeader::Type::get(words[0]))) {
      case RecordType::Event:
      case RecordType::Scheduling:
      case RecordType::Log:
      case RecordType::Profiler:
        return words.size() < 2 || add_timed(words);
      case RecordType::Initialization:
        return words.size() < 2 || set_rate(words[1]);
      case RecordType::Metadata:
        return !changes_provider(words[0]) || rate_ == kTicksPerSecond;
      default:
        return true;
    }
  }
  // Providers may have different tick rates. Ticks of different rates can't be compared.
  static bool changes_provider(std::uint64_t header) {
    const auto type = static_cast<MetadataType>(MetadataHeader::MetadataType::get(header));
    return type == MetadataType::ProviderInfo || type == MetadataType::ProviderSection;
  }
  bool set_rate(std::uint64_t ticks_per_second) {
    const bool is_other = ticks_per_second != rate_;
    rate_ = ticks_per_second;
    return !is_other || latest_ == 0;
  }
  bool add_timed(std::span<const std::uint64_t> words) {
    const std::uint64_t header = words[0], time = words[1];
    if (is_impossible(time)) return true;
    const bool is_complete = RecordHeader::Type::get(header) == code(RecordType::Event) &&
                             EventHeader::EventType::get(header) == code(EventType::DurationComplete);
    const std::uint64_t end = words.back();
    if (time < latest_) return false;
    latest_ = time;
    if (!is_complete || end <= time || is_impossible(end)) return true;
    Tie& tie = ties_[EventHeader::Thread::get(header)];
    if (tie.begin == time && end > tie.shortest_end) return false;
    tie = {.begin = time, .shortest_end = end};
    return true;
  }
  bool is_impossible(std::uint64_t ticks) const {
    const auto ns = ticks_to_ns(ticks, rate_);
    return !ns || *ns >= kTimeLimit;
  }

  std::uint64_t rate_ = kTicksPerSecond;
  std::uint64_t latest_ = 0;
  std::array<Tie, EventHeader::Thread::kMax + 1> ties_ = {};
};

}  // namespace fxt
