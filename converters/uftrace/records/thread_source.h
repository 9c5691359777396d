// Reads one <TID>.dat forward and tells its lane what it says: plain entries and exits at the speed of
// memory, everything else (losses, payloads, events, damage, execs, forks) step by step.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/lane.h"
#include "converters/model/timeline.h"
#include "converters/uftrace/perf/schedule.h"
#include "converters/uftrace/records/record_file.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/resync.h"
#include "converters/uftrace/records/thread_calls.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// What task.txt says of a thread, to be told between its records.
struct TaskMoment {
  enum class What : std::uint8_t { Exec, Dlopen } what;
  std::uint64_t time_ns;
  std::string path;  // of the program or library
};

// Where a fork's arrow starts: inside the call whose entry is the record at this offset.
struct ForkPoint {
  std::uint64_t entry_offset;
  std::uint64_t flow;
};

// All that is known of a thread before its records are read.
struct ThreadPlan {
  const Task* task;
  std::string path;          // of its record file
  std::uint64_t size_bytes;  // of it, when the directory was listed
  bool keep_open;            // see RecordFile
  std::endian order;
  std::optional<std::uint64_t> elapsed_ns;  // how long the recording took, if that is known
  std::size_t max_stack;                    // depths the recorder may have written; 0 if unknown
  std::deque<TaskMoment> moments;           // by time
  std::deque<ForkPoint> forks;              // by offset
  bool is_forked = false;
  std::vector<std::uint64_t> inherited;       // addresses of the parent's open calls, outermost first
  Inbox* inbox = nullptr;                     // what the perf files say of it; null: nothing
  std::vector<std::uint64_t> lone_outs = {};  // see PerfThread
  bool has_estimated_exits = false;
  ProcessId process_koid{};
  ThreadId thread_koid{};
  std::uint64_t fork_flow = 0;  // the arrow that ends in its first call; 0: none
};

// What all threads of a recording share.
struct Workshop {
  // What one worker needs for the thread at hand.
  struct Bench {
    LabelCaches caches = {};
    std::vector<std::byte> block = {};
  };
  Symbolizer& symbolizer;
  std::vector<Bench> benches;  // by Turn::worker
};

class ThreadSource : public Source {
 public:
  // Borrows all but the plan until the timeline has run. Throws InputError if the file can't be opened.
  ThreadSource(ThreadPlan plan, Lane& lane, Workshop& workshop, ImportContext& context);

  bool pump(const Turn& turn) override;
  std::uint64_t frontier_ns() const override { return std::max(lane_.last_ns(), frontier_ns_); }

  // The time of the first record that has one; nothing if there is none near the start of the file.
  std::optional<std::uint64_t> first_ns() const;
  std::uint64_t size() const { return file_.size(); }

 private:
  template <std::endian Order>
  std::size_t decode_plain(std::span<const std::byte> bytes);
  std::size_t decode(std::span<const std::byte> bytes, bool at_end);
  // Each gives the bytes it took.
  std::size_t step(std::span<const std::byte> bytes, bool at_end);
  std::size_t take_record(const Record& record, std::span<const std::byte> behind, bool at_end);
  std::size_t skip_payload(std::span<const std::byte> behind, bool at_end, const Expectation& expected);
  std::size_t skip_event(const Record& record, std::span<const std::byte> behind, bool at_end);
  std::size_t skip_damage(std::span<const std::byte> bytes, bool at_end);
  std::uint64_t in_order(std::uint64_t time_ns);
  std::uint64_t begun_ns() const;  // as task.txt knows it; 0 if it does not
  void take_call(const Record& record, std::uint64_t time_ns);
  void tell_moments(std::uint64_t time_ns);
  void tell(const TaskMoment& moment, std::uint64_t time_ns);
  void tell_forks(std::uint64_t time_ns);
  void tell_flow(FlowStep step, std::uint64_t time_ns, std::uint64_t flow);
  void enter_view(std::uint64_t time_ns);
  void set_limit();
  void finish();
  void note_damage(std::string_view end);
  void note_zeros(const NoteKind& kind);
  Expectation expectation() const;
  Expectation expectation_after(const Record& dropped) const;
  void note(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1) const;

  ThreadPlan plan_;
  Lane& lane_;
  Workshop& workshop_;
  ImportContext& context_;
  Notes& notes_;
  RecordFile file_;
  std::uint64_t records_ = 0;         // read in this pump()
  Workshop::Bench* bench_ = nullptr;  // for one pump()
  std::uint64_t offset_ = 0;          // of the next record
  std::uint64_t seen_ns_ = 0;         // the latest time of an entry or exit
  std::uint64_t latest_ns_ = 0;       // of any record
  std::uint64_t limit_ns_ = 0;        // records from this time on need a look
  std::optional<SymbolView> view_;
  LabelCache* cache_ = nullptr;  // of the view; for one pump()
  ThreadCalls calls_;
  Schedule schedule_;
  std::uint64_t gate_ns_ = 0;
  std::uint64_t frontier_ns_ = 0;
  bool at_gate_ = false;
  std::uint64_t damaged_from_ = 0;  // start of the damage at hand
  std::uint64_t damaged_bytes_ = 0;
  std::uint64_t zeros_from_ = 0;  // the same for zeros
  std::uint64_t zero_bytes_ = 0;
};

}  // namespace convert::uftrace
