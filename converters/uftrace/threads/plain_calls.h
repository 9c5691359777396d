// The two loops that carry plain calls, 16-byte entries and exits without arguments, from a block to the
// lane: one where all calls are shown, and one that applies the filter options. Each stops before the first
// record that needs the whole pipeline.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/plain_run.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/threads/call_filter.h"

namespace convert::uftrace {

// Both may be used for one thread until its symbols change. `names` is null before the first call.
class AllPlainCalls {
 public:
  // `line_argument` is the argument that carries a function's line. Borrows the lane, the names and `values`.
  AllPlainCalls(Lane& lane, const LabelCache* names, NameId line_argument, Arguments& values)
      : lane_(lane), names_(names), line_argument_(line_argument), values_(values) {}

  // Adds calls to the lane; returns how many.
  template <std::endian Order>
  std::size_t operator()(PlainRecords<Order> records, std::uint64_t) const {
    if (names_ == nullptr) return 0;
    std::size_t added = 0;
    for (;;) {
      if (!names_->has_lines() && records.shift.is_none()) added += add_run(records.from(added));
      if (added == records.count()) return added;
      const Record record = records[added];
      if (records.mismatch(record) != 0 || !try_add(records.call_of(record))) return added;
      ++added;
    }
  }

 private:
  // In bulk, where no call has a line.
  template <std::endian Order>
  std::size_t add_run(PlainRecords<Order> records) const {
    const auto decode = [records, &names = *names_](std::size_t i) {
      const Record record = records[i];
      const std::uint64_t mismatch = records.mismatch(record);
      if (mismatch != 0) return PlainCall{.mismatch = mismatch};
      const std::uint64_t is_end = RecordWord::Type::get(record.word);
      const std::uint64_t address = record.address();
      const LabelCache::Entry& name = names.slot_for(address);
      return PlainCall{.time_ns = record.time_ns,
                       .key = address,
                       .depth = record.depth(),
                       .label = name.meaning.label,
                       .is_end = is_end,
                       .mismatch = (name.address ^ address) & (is_end - 1)};
    };
    return lane_.add_plain_run(records.count(), decode);
  }

  bool try_add(const CallRecord& call) const {
    if (!call.is_entry()) return lane_.try_end(call.time_ns, call.address, call.depth);
    const CallName* const name = names_->find(call.address);
    if (name == nullptr) return false;
    if (name->line == CallName::kNoLine)
      return lane_.try_begin(call.time_ns, name->label, call.address, call.depth);
    if (!lane_.can_begin(call.time_ns, call.depth)) return false;
    values_.clear();
    values_.add({line_argument_, name->line});
    lane_.begin(call.time_ns, name->label, call.address, values_);
    return true;
  }

  Lane& lane_;
  const LabelCache* names_;
  NameId line_argument_;
  Arguments& values_;
};

class FilteredPlainCalls {
 public:
  // Borrows all.
  FilteredPlainCalls(Lane& lane, const LabelCache* names, OptionFilter& filter)
      : lane_(lane), names_(names), filter_(filter) {}

  // Decides for each record whether it is shown; returns how many were decided. The filter is asked again
  // about the record after them.
  template <std::endian Order>
  std::size_t operator()(const PlainRecords<Order>& records, std::uint64_t offset) const {
    if (names_ == nullptr) return 0;
    return records.count_while([&](const CallRecord& call) {
      const bool is_done = call.is_entry() ? try_begin(call, offset) : try_end(call);
      offset += kRecordSize;
      return is_done;
    });
  }

 private:
  bool try_end(const CallRecord& call) const {
    return lane_.try_end_filtered(call.time_ns, call.address, call.depth) ||
           lane_.try_end(call.time_ns, call.address, call.depth);
  }
  bool try_begin(const CallRecord& call, std::uint64_t offset) const {
    const FunctionRule* const* const rule = filter_.plain_rule(call.address);
    if (rule == nullptr || !lane_.can_begin(call.time_ns, call.depth)) return false;
    if (!filter_.enter_plain(call.depth, *rule, offset)) {
      lane_.begin_filtered(call.time_ns, call.address);
      return true;
    }
    const CallName* const name = names_->find(call.address);
    if (name == nullptr || name->line != CallName::kNoLine) return false;
    lane_.try_begin(call.time_ns, name->label, call.address, call.depth);
    return true;
  }

  Lane& lane_;
  const LabelCache* names_;
  OptionFilter& filter_;
};

}  // namespace convert::uftrace
