// Which records are shown, and the options that choose a part of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/options.h"
#include "fxt/time_range.h"

namespace fxt::tools {

// Empty parts select everything. A part that a record does not have (a string record has no thread) deselects
// the record.
struct Selection {
  std::vector<std::uint64_t> threads = {};   // thread koids
  std::vector<std::string> kinds = {};       // of kind_of(); "event" is any event
  std::vector<std::string> names = {};       // shell patterns, of events, objects and blobs
  std::vector<std::string> categories = {};  // shell patterns
  std::optional<TimeRange> range = {};

  bool empty() const {
    return threads.empty() && kinds.empty() && names.empty() && categories.empty() && !range;
  }
  bool has_thread(std::uint64_t thread) const;
  bool has_kind(const Record& record) const;
  bool has_names(std::string_view category, std::string_view name) const;
  // All but the range.
  bool contains(const Record& record) const;
};

// A selection with the state that its range needs.
class RecordFilter {
 public:
  explicit RecordFilter(const Selection& selection)
      : selection_(selection), window_(selection.range.value_or(TimeRange{})) {}
  // To be called for all records in their order. `reader` converts the entry's ticks to ns.
  bool contains(const Entry& entry, const Reader& reader);
  // Whether its time lies in the range, or overlaps it.
  bool is_in_range(const Entry& entry, const Reader& reader);

 private:
  Selection selection_;
  TimeWindow window_;
};

// The time of a record in ns, if it has one before kTimeLimit: readers drop later ones.
std::optional<std::uint64_t> time_of(const Record& record, const Reader& reader);

// When a record begins and ends, in ns: only a complete event lasts.
struct RecordSpan {
  std::uint64_t begin_ns = 0, end_ns = 0;
};
// Nothing if the record has no time, or impossible ones: kTimeLimit or later, or an end before its begin.
std::optional<RecordSpan> span_of(const Record& record, const Reader& reader);
std::optional<RecordSpan> span_of(const Event& event, const Reader& reader);

// Koids of the threads that a record names.
std::vector<std::uint64_t> threads_of(const Record& record);

// Throws UsageError if one of them is not in kinds().
void check_kinds(const std::vector<std::string>& wanted);

// The options that several programs have. Each program has its own help texts.
Option range_option(std::string help, std::optional<TimeRange>& range);
Option thread_option(std::string help, std::vector<std::uint64_t>& threads);
Option name_option(std::string help, std::vector<std::string>& patterns);
Option category_option(std::vector<std::string>& patterns);

}  // namespace fxt::tools
