// What -F and its kin leave out of one thread: asks its ThreadFilter of each call and event, knows the rules
// of the functions, the conditions of the record at hand and, from a walk before, what later records decide;
// and counts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/filters/filter_table.h"
#include "converters/uftrace/filters/kept_call_scan.h"
#include "converters/uftrace/filters/kept_calls.h"
#include "converters/uftrace/filters/thread_filter.h"
#include "converters/uftrace/kernel/kernel_calls.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class CallFilter {
 public:
  // Borrows all of them. `lane` holds the open calls.
  CallFilter(FilterTable& table, Symbolizer& symbolizer, const TaskSymbols& symbols, Names& names, Lane& lane,
             const ThreadPlan& plan);

  // Finds what later records decide; the rest may be asked when that is true. A step at a time; all at once
  // where files must not stay open.
  bool prepare();
  // The rules of functions by the symbols that hold from here on.
  void use_rules(FunctionRuleCache& rules) { rules_ = &rules; }
  // The call at hand; borrowed until the next one.
  void set_item(const RecordItem& item) { item_ = &item; }
  // Another program begins.
  void start_over() { filter_.start_over(); }

  // A call begins, in all that are open: whether it is shown. Those that no record shows are not too short
  // for anything.
  bool enter(std::uint64_t address, bool is_recorded);
  // Whether a call that begins or ends will be seen, or one that ends with it. Own calls alone must be open.
  bool will_be_seen(const CallRecord& call);
  // Whether it is known beforehand that nothing will be said of a call that begins in those that are open;
  // and of one that ends.
  bool leaves_out(const CallRecord& entry) {
    return entry.depth <= lane_.depth() && filter_.leaves_out(entry.depth, rule_at(entry.address));
  }
  bool has_left_out(const CallRecord& exit) const {
    return lane_.depth() == exit.depth + 1 && lane_.top_is_filtered() && lane_.top_key() == exit.address;
  }
  // What was read at a call goes with it.
  bool shows_event(std::size_t depth, bool is_of_call);
  void leave_event_out() { ++events_; }
  // What asks on behalf of the kernel's calls; borrows this.
  std::unique_ptr<KernelFilter> for_kernel();

  // Plain calls, on the way from the file to the lane: stops at those that need a look, and gives how many it
  // took. What is asked of the filter is asked again then.
  template <std::endian Order>
  std::size_t take_run(PlainRecords<Order> records, std::uint64_t offset, const LabelCache& names);

  // How many were left out.
  std::uint64_t calls() const { return calls_; }
  std::uint64_t events() const { return events_; }

 private:
  class KernelGate;

  const FunctionRule* rule_at(std::uint64_t address);
  bool is_kept(std::uint64_t offset) { return !table_.looks_ahead() || kept_calls_.is_kept(offset); }
  bool enter(ThreadFilter& filter, std::uint64_t address, bool is_recorded);
  bool meets_condition(const FunctionRule& rule);

  FilterTable& table_;
  Symbolizer& symbolizer_;
  const TaskSymbols& symbols_;
  Names& names_;
  Lane& lane_;
  const ThreadPlan& plan_;
  ThreadFilter filter_;
  std::vector<std::uint64_t> inherited_;  // what the thread started with
  bool is_ready_;
  std::unique_ptr<KeptCallScan> scan_;  // until then
  KeptCalls kept_calls_;
  FunctionRuleCache* rules_ = nullptr;  // by these symbols
  const RecordItem* item_ = nullptr;
  std::uint64_t calls_ = 0, events_ = 0;
};

template <std::endian Order>
std::size_t CallFilter::take_run(PlainRecords<Order> records, std::uint64_t offset, const LabelCache& names) {
  const std::size_t count = records.count();
  std::size_t taken = 0;
  for (; taken != count; ++taken) {
    const Record record = records[taken];
    if (records.mismatch(record) != 0) break;
    const std::uint64_t address = record.address();
    if (record.type() == RecordType::Exit) {
      const std::size_t depth = record.depth() + records.shift.exit;
      if (!lane_.try_end_filtered(record.time_ns, address, depth) &&
          !lane_.try_end(record.time_ns, address, depth))
        break;
      continue;
    }
    const std::size_t depth = record.depth() - records.shift.entry;
    const FunctionRule* const* const rule = rules_->find(address);
    if (rule == nullptr || !lane_.can_begin(record.time_ns, depth)) break;
    if (*rule != nullptr && (*rule)->has(Setting::Condition)) break;
    if (!filter_.enter(depth, *rule, is_kept(offset + taken * kRecordSize))) {
      lane_.begin_filtered(record.time_ns, address);
      ++calls_;
      continue;
    }
    const CallName* const name = names.find(address);
    if (name == nullptr || name->line != CallName::kNoLine) break;
    lane_.try_begin(record.time_ns, name->label, address, depth);
  }
  return taken;
}

}  // namespace convert::uftrace
