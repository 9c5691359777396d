// Selects the records to show. Also defines the options that select a part of a trace.
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

// True for the calls that show when a thread is off the CPU. The category alone is not enough, because the
// category of other calls is their module, which can also be named `sched`.
inline bool is_off_cpu(std::string_view category, std::string_view name) {
  return category == "sched" && name.starts_with("linux:schedule");
}

// An empty member selects everything. If `threads`, `names`, `categories` or `range` is not empty, records
// without a thread, name, category or time are not selected. For example, `threads` selects no string record.
// `excluded` and `no_sched` do not exclude records without a name.
struct Selection {
  std::vector<std::uint64_t> threads = {};   // thread koids
  std::vector<std::string> kinds = {};       // names from kind_of(); "event" is any event
  std::vector<std::string> names = {};       // shell patterns for names of events, objects and blobs
  std::vector<std::string> categories = {};  // shell patterns
  std::vector<std::string> excluded = {};    // shell patterns for names that are not selected
  bool no_sched = false;                     // if true, the time off the CPU is not selected
  std::optional<TimeRange> range = {};

  bool empty() const { return threads.empty() && kinds.empty() && !selects_names() && !range; }
  bool selects_names() const {
    return !names.empty() || !categories.empty() || !excluded.empty() || no_sched;
  }
  bool has_thread(std::uint64_t thread) const;
  bool has_kind(const Record& record) const;
  bool has_names(std::string_view category, std::string_view name) const;
  // True if the record is selected, regardless of the range.
  bool contains(const Record& record) const;
};

// A selection, with the state that its range needs.
class RecordFilter {
 public:
  explicit RecordFilter(const Selection& selection)
      : selection_(selection), window_(selection.range.value_or(TimeRange{})) {}
  // Must be called with all records in their order. `reader` converts the ticks of the entry to ns.
  bool contains(const Entry& entry, const Reader& reader);
  // True if the record is in the range or overlaps it.
  bool is_in_range(const Entry& entry, const Reader& reader);

 private:
  Selection selection_;
  TimeWindow window_;
};

// The time of a record in ns, if it has one before kTimeLimit. Readers drop later records.
std::optional<std::uint64_t> time_of(const Record& record, const Reader& reader);

// Begin and end of a record in ns. Only complete events have a length.
struct RecordSpan {
  std::uint64_t begin_ns = 0, end_ns = 0;
};
// Returns nothing if the record has no time, if a time is kTimeLimit or later, or if the end is before the
// begin.
std::optional<RecordSpan> span_of(const Record& record, const Reader& reader);
std::optional<RecordSpan> span_of(const Event& event, const Reader& reader);

std::vector<std::uint64_t> threads_of(const Record& record);

// Throws UsageError if a word is not in kinds().
void check_kinds(const std::vector<std::string>& wanted);

// Options that several programs have. Each program has its own help texts for these options.
Option range_option(std::string help, std::optional<TimeRange>& range);
Option thread_option(std::string help, std::vector<std::uint64_t>& threads);
Option name_option(std::string help, std::vector<std::string>& patterns);
Option category_option(std::vector<std::string>& patterns);
Option exclude_option(std::vector<std::string>& patterns);

}  // namespace fxt::tools
