// Decides which calls and events of a thread are shown. CallFilter shows everything. OptionFilter applies -F
// and the other filter options. OptionFilter uses the rules of functions and the arguments of the current
// record. If a decision depends on later records, OptionFilter uses the result of an earlier scan. Both
// classes can hide events outside of the program's calls, and count what they drop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/filters/kept_call_scan.h"
#include "converters/uftrace/filters/thread_filter.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

// The memory that a worker uses for all threads that it converts.
struct WorkerScratch {
  LabelCaches labels = {};
  EpochCaches<FunctionRuleCache> rules = {};
  std::vector<std::byte> block = {};
};

class CallFilter {
 public:
  struct KernelDecision {
    bool is_shown = true;           // false if the call is hidden, however long it is
    std::uint64_t shortest_ns = 0;  // if the call is at least this long, it and all calls around it are kept
  };
  struct Dropped {
    std::uint64_t calls = 0;
    std::uint64_t events = 0;
  };

  explicit CallFilter(bool skips_outside = false) : skips_outside_(skips_outside) {}
  virtual ~CallFilter() = default;

  // Continues the scan for decisions that depend on later records. Returns true when the scan is finished.
  // Before that, no other function may be called.
  virtual bool scan_ahead() { return true; }
  // Must be called if the symbols of the task have changed, or if another worker pumps the thread.
  virtual void use_scratch([[maybe_unused]] WorkerScratch& scratch) {}
  // Sets the record for the next functions. `record` must stay valid until the next set_record().
  virtual void set_record([[maybe_unused]] const RecordItem& record) {}
  // Must be called when the process starts another program.
  virtual void start_over() {}

  // True if calls of the program, their flows and the events of task.txt are shown.
  virtual bool shows_program() const { return true; }
  // Must be called when a call begins inside all open calls. Returns true if the call is shown. `recorded` is
  // false for a call without an entry, which is never hidden as too short.
  virtual bool enter([[maybe_unused]] std::uint64_t address, [[maybe_unused]] bool recorded) { return true; }
  // True if the entry may begin a shown call, or if the exit may end one. Must not be called while calls of
  // the kernel are open.
  virtual bool will_be_seen([[maybe_unused]] const CallRecord& call) { return true; }
  // True if it is certain that no part of the call is shown. Must be called before the lane gets the record.
  virtual bool drops_entry([[maybe_unused]] const CallRecord& call) { return false; }
  virtual bool drops_exit([[maybe_unused]] const CallRecord& call) const { return false; }
  // True if the flow of a fork may start in the innermost of `depth` calls of the program.
  virtual bool shows_fork_in([[maybe_unused]] std::size_t depth) const { return true; }

  // True if an event outside of the program's calls is shown. Otherwise, counts the event.
  bool shows_outside() {
    if (skips_outside_) ++dropped_.events;
    return !skips_outside_;
  }
  // True if an event inside `depth` calls is shown. `of_call` is true for an event that belongs to the
  // innermost of these calls. Such an event is hidden together with the call.
  virtual bool shows_event([[maybe_unused]] std::size_t depth, [[maybe_unused]] bool of_call) { return true; }
  virtual bool shows_switch([[maybe_unused]] std::size_t depth, [[maybe_unused]] bool is_short) {
    return true;
  }

  virtual KernelDecision enter_kernel([[maybe_unused]] std::size_t depth,
                                      [[maybe_unused]] std::uint64_t address) {
    return {};
  }
  // Must be called if InnerCalls removes a kernel call from the lane, because no filter keeps the call.
  virtual void drop_kernel_call() {}

  Dropped dropped() const { return dropped_; }
  // True if a call was shown. With --kernel-only, also true if an event of the kernel was shown.
  bool has_shown_calls() const { return has_shown_calls_; }

 protected:
  bool count_call(bool is_shown) {
    if (is_shown)
      has_shown_calls_ = true;
    else
      ++dropped_.calls;
    return is_shown;
  }
  Dropped dropped_;
  bool has_shown_calls_ = false;

 private:
  bool skips_outside_;
};

class OptionFilter : public CallFilter {
 public:
  // The arguments must outlive this object. `lane` has the open calls.
  OptionFilter(FilterTable& table, Symbolizer& symbolizer, const TaskSymbols& symbols, Names& names,
               const Lane& lane, const ThreadPlan& plan);

  bool scan_ahead() override;
  void use_scratch(WorkerScratch& scratch) override { rules_ = &scratch.rules.of(symbols_.epoch()); }
  void set_record(const RecordItem& record) override { record_ = &record; }
  void start_over() override { filter_.start_over(); }

  bool shows_program() const override { return !table_.passes_program(); }
  bool enter(std::uint64_t address, bool recorded) override;
  bool will_be_seen(const CallRecord& call) override;
  bool drops_entry(const CallRecord& entry) override {
    return entry.depth <= lane_.depth() && filter_.hides(entry.depth, rule_at(entry.address));
  }
  bool drops_exit(const CallRecord& exit) const override {
    return lane_.depth() == exit.depth + 1 && lane_.calls().top_is_filtered() &&
           lane_.calls().back().key == exit.address;
  }
  bool shows_fork_in(std::size_t depth) const override {
    return depth != 0 && !lane_.calls().top_is_filtered();
  }

  bool shows_event(std::size_t depth, bool of_call) override;
  bool shows_switch(std::size_t depth, bool is_short) override;
  KernelDecision enter_kernel(std::size_t depth, std::uint64_t address) override;
  void drop_kernel_call() override { ++dropped_.calls; }

  // ---- For runs of plain records ----

  // Returns the place of the pointer to the function's rule. The pointer is null if the function has no rule.
  // Returns null if the rule is not known yet, or has a condition on arguments.
  const FunctionRule* const* plain_rule(std::uint64_t address) const {
    const FunctionRule* const* const rule = rules_->find(address);
    return rule != nullptr && *rule != nullptr && (*rule)->has(Setting::Condition) ? nullptr : rule;
  }
  // Does the same as enter(), for a plain entry at `offset` in the file.
  bool enter_plain(std::size_t depth, const FunctionRule* rule, std::uint64_t offset) {
    return count_call(filter_.enter(depth, rule, is_kept(offset)));
  }

 private:
  // The calls that are kept because of later records, and the scan that finds these calls.
  struct KeptByLater {
    bool is_known;
    std::unique_ptr<KeptCallScan> scan = {};
    KeptCalls calls = {};
  };

  const FunctionRule* rule_at(std::uint64_t address);
  bool is_kept(std::uint64_t offset) { return !table_.looks_ahead() || kept_.calls.is_kept(offset); }
  bool enter(ThreadFilter& filter, std::uint64_t address, bool recorded);
  bool meets_condition(const FunctionRule& rule);

  FilterTable& table_;
  Symbolizer& symbolizer_;
  const TaskSymbols& symbols_;
  Names& names_;
  const Lane& lane_;
  const ThreadPlan& plan_;
  ThreadFilter filter_;
  KeptByLater kept_;
  FunctionRuleCache* rules_ = nullptr;  // rules for the current symbols
  AddressCache<const FunctionRule*, 8> kernel_rules_;
  const RecordItem* record_ = nullptr;
};

}  // namespace convert::uftrace
