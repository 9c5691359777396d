// fxt-dump --stats: counts of records, events and threads; and of calls, how often and how long each function
// ran, the counterpart of `uftrace report`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/cpu_runs.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

// What is known of a function's calls. Lines are sorted by one of them, the greatest first, names
// alphabetically.
enum class CallColumn : std::uint8_t { Calls, Total, Self, Average, Min, Max, Name };

// Each group has a table of its own, in this order.
enum class CallGroup : std::uint8_t {
  Program,
  Kernel,
  OffCpu,
  Async,   // operations
  OnCpu,   // runs of threads, by their names
  Waking,  // from wakeups of threads to their runs
};

struct CallReport {
  CallColumn order = CallColumn::Total;
  std::vector<CallColumn> columns = parse_columns("calls,total,self,average,min,max");
  TimeUnit unit = TimeUnit::Auto;

  // The option's value: names of columns with commas between them. Throws UsageError.
  static std::vector<CallColumn> parse_columns(std::string_view list);
};

// How often calls of one name are open on a thread.
class OpenNames {
 public:
  // Returns how many there were before.
  std::uint32_t open(std::uint64_t key) { return slot(key).count++; }
  // Returns how many are left.
  std::uint32_t close(std::uint64_t key) { return --slot(key).count; }

 private:
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t count = 0;
  };
  Slot& slot(std::uint64_t key);
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1024);  // open addressing
  std::size_t used_ = 0;
};

// How many records of a trace there are, by what the file says of them.
struct RecordCounts {
  struct Totals {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };

  void add(const Entry& entry, const Reader& reader);
  // Those that are there, by kind.
  std::map<std::string_view, Totals> kinds() const;

  std::array<Totals, 11> event_types = {};
  std::array<Totals, std::variant_size_v<Record>> record_types = {};
  std::optional<std::uint64_t> first_ns, last_ns;
  // References of events.
  std::uint64_t inline_strings = 0, table_strings = 0, inline_threads = 0, table_threads = 0;
  std::uint64_t problems = 0;

 private:
  void add_time(std::uint64_t ticks, const Reader& reader);
};

class Statistics : private CallListener {
 public:
  struct Function {
    CallName name;
    CallGroup group = CallGroup::Program;
    std::uint64_t calls = 0;
    std::uint64_t total_ns = 0;  // without calls inside a call of the same name
    std::uint64_t sum_ns = 0;    // of all calls
    std::uint64_t self_ns = 0;
    std::uint64_t min_ns = ~std::uint64_t{0}, max_ns = 0;

    std::uint64_t value(CallColumn column) const;
    // Operations and runs have none.
    bool has_self() const { return group < CallGroup::Async; }
    void add(std::uint64_t length_ns);
  };

  explicit Statistics(const Selection& selection = {}, CallReport report = {});

  void add(const Entry& entry, const Reader& reader);
  // No record follows. To be called once, before the functions below.
  void finish();
  // Several tables as text.
  void append_to(TextBuffer& out, const Reader& reader) const;
  // The same as one JSON object.
  void append_json_to(TextBuffer& out, const Reader& reader) const;
  // Lines about events that belong to no call, and the like.
  std::vector<std::string> notes() const { return calls_.notes(); }
  // Those that were called, by their groups, in the chosen order.
  std::vector<Function> functions() const;

 private:
  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  std::map<CallName, std::uint64_t> events() const;
  void append_calls_to(TextBuffer& out) const;
  void ended_operation(const Call& operation);
  void ran(const CpuRun& run);

  Selection selection_;
  RecordFilter filter_;
  CallReport report_;
  CallStream calls_;
  RecordCounts records_;
  std::vector<std::uint64_t> events_;   // by name
  std::vector<Function> totals_;        // by name
  std::vector<std::uint64_t> threads_;  // number of events, by the thread's index
  OpenNames open_;
  CpuRuns runs_;
  std::map<std::uint32_t, Function> operation_totals_;            // by name
  std::map<std::uint64_t, Function> run_totals_, waking_totals_;  // by thread
  std::uint64_t last_ns_ = 0;
  bool is_over_ = false;  // no record follows
};

// A line for each function whose total differs, the greatest difference first.
void append_difference(TextBuffer& out, const Statistics& before, const Statistics& after, TimeUnit unit);

}  // namespace fxt::tools
