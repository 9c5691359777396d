// fxt-dump --stats: counts records, events and threads. For each function, it shows the number and the times
// of calls, like `uftrace report`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/cpu_runs.h"
#include "fxt/tools/length_histogram.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

// The columns of a line. The report sorts lines by one or more columns, with the greatest values first, and
// names in alphabetical order.
enum class CallColumn : std::uint8_t { Calls, Total, Self, Average, Min, Max, P50, P90, P99, Name };

// A line of the report is about the calls of one function, thread, process or category.
enum class CallUnit : std::uint8_t { Function, Thread, Process, Category };

// Each group has its own table, in this order.
enum class CallGroup : std::uint8_t {
  Program,
  Kernel,
  OffCpu,
  Async,   // async operations
  OnCpu,   // the times in which threads ran on CPUs; each line is about one thread
  Waking,  // the times from a wakeup to the start of the thread's next run; each line is about one thread
};

struct CallReport {
  // if two lines are equal in one column, the next column decides
  std::vector<CallColumn> order = {CallColumn::Total};
  std::vector<CallColumn> columns = {CallColumn::Calls,   CallColumn::Total, CallColumn::Self,
                                     CallColumn::Average, CallColumn::Min,   CallColumn::Max};
  CallUnit by = CallUnit::Function;
  TimeUnit unit = TimeUnit::Auto;
  std::size_t top =
      std::numeric_limits<std::size_t>::max();  // maximum number of lines in each table of calls or events
  double width = std::numeric_limits<double>::infinity();  // maximum width of a line; longer names are cut

  // Parse the value of the option: names of columns with commas between them. Throw UsageError.
  static std::vector<CallColumn> parse_columns(std::string_view list);
  static std::vector<CallColumn> parse_order(std::string_view list);
  // True if the report has percentiles. Otherwise, they are not computed, because they need memory and time.
  bool has_percentiles() const;
};

// Counts open calls by a key, which stands for a line of the report and a thread.
class OpenNames {
 public:
  // Returns the number of calls that were open before.
  std::uint32_t open(std::uint64_t key) { return slot(key).count++; }
  // Returns the number of calls that are still open.
  std::uint32_t close(std::uint64_t key) { return --slot(key).count; }

 private:
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t count = 0;
  };
  Slot& slot(std::uint64_t key);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // a hash table with open addressing
  std::size_t used_ = 0;
};

// Counts the records of a trace by kind. Also counts their references and problems.
struct RecordCounts {
  struct Totals {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };

  void add(const Entry& entry, const Reader& reader);
  std::map<std::string_view, Totals> kinds() const;

  std::array<Totals, 11> event_types = {};
  std::array<Totals, std::variant_size_v<Record>> record_types = {};
  std::optional<std::uint64_t> first_ns, last_ns;
  // The number of references in events.
  std::uint64_t inline_strings = 0, table_strings = 0, inline_threads = 0, table_threads = 0;
  std::uint64_t problems = 0;

 private:
  void add_time(std::uint64_t ticks, const Reader& reader);
};

class Statistics : private CallListener {
 public:
  // The calls of one line. There may be as many lines as events.
  struct Line {
    // In lines of functions, the function's name. In other lines, null until finish() is called. The category
    // is empty in lines of threads and processes.
    const CallName* name = nullptr;
    CallGroup group = CallGroup::Program;
    std::uint64_t calls = 0;
    std::uint64_t total_ns = 0;  // total time of the calls, without calls inside another call of this line
    std::uint64_t sum_ns = 0;    // total of all calls
    std::uint64_t self_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0}, max_ns = 0;
    // start of the longest call; of the first one if several are equally long
    std::uint64_t max_start_ns = 0;
    std::unique_ptr<LengthHistogram> lengths = {};  // null unless the report has percentiles

    std::uint64_t value(CallColumn column) const;
    // Operations and runs have no self time.
    bool has_self() const { return group < CallGroup::Async; }
  };

  explicit Statistics(const Selection& selection = {}, CallReport report = {});

  void add(const Entry& entry, const Reader& reader);
  // Must be called once, after the last record and before the functions below.
  void finish();
  // Called after each line or entry that was appended. May empty the buffer.
  using AfterLine = std::function<void()>;
  void append_to(TextBuffer& out, const Reader& reader, const AfterLine& after_line) const;
  // Appends the lines of all calls as one table of comma-separated values (RFC 4180). Times are in ns.
  void append_csv_to(TextBuffer& out, const AfterLine& after_line) const;
  void append_json_to(TextBuffer& out, const Reader& reader, const AfterLine& after_line) const;
  // Lines about odd events, such as events that belong to no call.
  std::vector<std::string> notes() const { return calls_.notes(); }
  // The lines of all calls by group, in the selected order.
  std::vector<const Line*> lines() const;

 private:
  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  struct EventCount {
    std::uint64_t count;
    const CallName* name;
  };
  std::vector<EventCount> events() const;  // by name
  std::vector<const Line*> top_lines() const;
  void append_calls_to(TextBuffer& out, const AfterLine& after_line) const;
  std::vector<std::string> cells_of(const Line& line) const;
  CallGroup group_of(const CallTrack& track, const Call& call);
  std::uint32_t line_of(const CallTrack& track, const Call& call);
  std::uint32_t line_with(CallGroup group, const ThreadKey& thread, const CallName& name);
  void name_lines();
  void add(Line& line, const Pairing::Part& part) const;
  void ended_operation(const CallTrack& track, const Call& operation);
  void ran(const CpuRun& run);

  Selection selection_;
  RecordFilter filter_;
  CallReport report_;
  CallStream calls_;
  RecordCounts records_;
  const bool has_percentiles_ = report_.has_percentiles();
  std::vector<std::uint64_t> events_;  // by name
  // The key of a line: its group, and either its category or its process and thread. Lines of functions have
  // no key.
  using LineKey = std::tuple<CallGroup, std::string, ThreadKey>;
  std::map<LineKey, std::uint32_t> line_indices_;
  std::vector<Line> lines_;
  std::deque<CallName> own_names_;  // names of lines that are not for functions
  std::array<std::vector<std::optional<std::uint32_t>>, 4> known_lines_;
  std::vector<std::optional<CallGroup>> groups_;  // by name
  std::vector<std::uint64_t> threads_;            // number of events by thread index
  OpenNames open_;
  CpuRuns runs_;
  std::map<std::uint64_t, Line> runs_of_, wakings_of_;  // by thread
  std::uint64_t last_ns_ = 0;
  bool is_over_ = false;  // finish() was called
};

// A trace that is compared with another trace. It has only the data for the comparison, because two complete
// Statistics would need much memory.
struct Compared {
  struct Calls {
    CallGroup group;
    CallName name;
    std::uint64_t calls, total_ns;
  };

  std::string file;
  std::vector<std::string> notes = {};  // see Statistics::notes()
  std::vector<Calls> calls = {};
};

// Appends the names of the files, and a line for each function whose total or number of calls differs. In
// each group, the greatest difference comes first.
void append_difference(TextBuffer& out, const Compared& before, const Compared& after,
                       const CallReport& report, const Statistics::AfterLine& after_line);

}  // namespace fxt::tools
