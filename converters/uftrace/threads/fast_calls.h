// Two loops that pass plain calls (16-byte entries and exits without arguments) from a block to the lane.
// FastCalls is for threads without a filter, and also passes calls with arguments. FilteredFastCalls applies
// the filter options. Each loop stops before the first record that needs the complete pipeline.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/model/lanes/lane.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "converters/uftrace/threads/call_filter.h"

namespace convert::uftrace {

// Objects of both classes are valid until the symbols of the thread change.
class FastCalls {
 public:
  // `line_argument` is the name of the argument with a function's line. `payload_decoder` decodes arguments,
  // or is null if arguments are not shown. The parameters must outlive this object.
  FastCalls(Lane& lane, TaskSymbols& symbols, NameId line_argument, PayloadDecoder* payload_decoder)
      : lane_(lane),
        symbols_(symbols),
        labels_(symbols.cache()),
        line_argument_(line_argument),
        payload_decoder_(payload_decoder) {}

  // Adds calls to the lane. Returns the number of added calls.
  template <std::endian Order>
  std::size_t operator()(PlainRecords<Order> records, std::uint64_t) const {
    if (labels_ == nullptr) return 0;
    std::size_t added = 0;
    for (;;) {
      if (!labels_->has_lines() && records.shift.is_none()) added += add_run(records.from(added));
      if (added == records.count()) return added;
      const Record record = records[added];
      if (records.mismatch(record) != 0) return added;
      cache_labels(records.from(added));
      if (!try_add(records.call_of(record))) return added;
      ++added;
    }
  }

  // Adds a call with a payload of this layout to the lane. Returns true if the call was added.
  bool try_add(const CallRecord& call, const PayloadLayout& layout,
               std::span<const std::byte> payload) const {
    if (labels_ == nullptr || payload_decoder_ == nullptr) return false;
    const std::size_t most_words = layout.most_words(payload.size());
    const auto put = [&](std::uint64_t* words) {
      return payload_decoder_->put_values(layout, payload, words);
    };
    if (!call.is_entry())
      return lane_.can_end(call.time_ns, call.address, call.depth) &&
             lane_.try_end(call.time_ns, most_words, put);
    return lane_.can_begin(call.time_ns, call.depth) &&
           try_begin(call, symbols_.call_label(call.address), most_words, put);
  }

 private:
  // If the cache of labels is larger than kLabelsInReach, it does not fit into the processor's second-level
  // cache. Then each label is prefetched kLabelsAhead records before it is needed.
  static constexpr std::size_t kLabelsInReach = std::size_t{1} << 15, kLabelsAhead = 16;
  // cache_labels() searches this many records for addresses without a cached label.
  static constexpr std::size_t kSearchedAhead = 128;

  template <std::endian Order>
  static void fetch_label_ahead(const PlainRecords<Order>& records, const LabelCache::View& labels,
                                std::size_t i) {
    const Record later = records[std::min(i + kLabelsAhead, records.count() - 1)];
    __builtin_prefetch(&labels.slot_for(later.address()));
  }

  // If the label of the first call is not cached, caches it and the labels of the next calls.
  template <std::endian Order>
  void cache_labels(PlainRecords<Order> records) const {
    const auto is_unknown = [&](const Record& record) {
      return record.type() == RecordType::Entry && labels_->find(record.address()) == nullptr;
    };
    if (!is_unknown(records[0])) return;
    std::array<std::uint64_t, Symbolizer::kLabelsAtOnce> unknown;
    std::size_t count = 0;
    for (std::size_t i = 0; i != std::min(records.count(), kSearchedAhead) && count != unknown.size(); ++i) {
      fetch_label_ahead(records, labels_->view(), i);
      const Record record = records[i];
      // If a record is earlier than the first, this record and the next ones may be garbage.
      if (records.mismatch(record) != 0 || record.time_ns < records[0].time_ns) break;
      if (is_unknown(record)) unknown.at(count++) = record.address();
    }
    symbols_.cache_labels(std::span(unknown).first(count));
  }

  // Adds calls in bulk. Used if no call has a source line.
  template <std::endian Order>
  std::size_t add_run(PlainRecords<Order> records) const {
    const auto decode = [ records, labels = labels_->view() ](std::size_t i) __attribute__((always_inline)) {
      const Record record = records[i];
      const std::uint64_t mismatch = records.mismatch(record);
      if (mismatch != 0) return PlainCall{.mismatch = mismatch};
      const std::uint64_t is_end = RecordWord::Type::get(record.word);
      const std::uint64_t address = record.address();
      const LabelCache::Entry* label = &labels.slot_for(address);
      // If the program has many functions, this search is frequent, in spite of [[unlikely]]. Leaving the
      // loop instead would cost more.
      if (((label->address ^ address) & (is_end - 1)) != 0) [[unlikely]] {
        const LabelCache::Entry* const other = labels.entry_for(address);
        if (other != nullptr) label = other;
      }
      return PlainCall{.time_ns = record.time_ns,
                       .key = address,
                       .depth = record.depth(),
                       .label = label->meaning.label,
                       .is_end = is_end,
                       .mismatch = (label->address ^ address) & (is_end - 1)};
    };
    if (labels_->size() <= kLabelsInReach) return lane_.add_run(records.count(), decode);
    const auto decode_ahead =
        [ records, labels = labels_->view(), decode ](std::size_t i) __attribute__((always_inline)) {
      fetch_label_ahead(records, labels, i);
      return decode(i);
    };
    return lane_.add_run(records.count(), decode_ahead);
  }

  bool try_add(const CallRecord& call) const {
    if (!call.is_entry()) {
      if (!lane_.can_end(call.time_ns, call.address, call.depth)) return false;
      lane_.end(call.time_ns);
      return true;
    }
    if (!lane_.can_begin(call.time_ns, call.depth)) return false;
    const CallLabel& label = symbols_.call_label(call.address);
    if (label.line != CallLabel::kNoLine)
      return try_begin(call, label, 0, [](std::uint64_t* words) { return PackedArguments{words, 0}; });
    lane_.begin(call.time_ns, label.label, call.address);
    return true;
  }

  // Adds a call with its arguments, and with the line of the function.
  template <typename Put>
  bool try_begin(const CallRecord& call, const CallLabel& label, std::size_t most_words, Put put) const {
    const auto put_all = [&](std::uint64_t* words) {
      auto [end, count] = put(words);
      if (label.line == CallLabel::kNoLine) return PackedArguments{end, count};
      end[0] = PackedHeader::of(line_argument_, ArgumentKind::Name);
      end[1] = static_cast<std::uint32_t>(label.line);
      return PackedArguments{end + 2, count + 1};
    };
    return lane_.try_begin(call.time_ns, label.label, call.address, most_words + 2, put_all);
  }

  Lane& lane_;
  TaskSymbols& symbols_;
  const LabelCache* labels_;  // null before TaskSymbols::move_to()
  NameId line_argument_;
  PayloadDecoder* payload_decoder_;
};

class FilteredFastCalls {
 public:
  // The arguments must outlive this object.
  FilteredFastCalls(Lane& lane, const LabelCache* labels, OptionFilter& filter)
      : lane_(lane), labels_(labels), filter_(filter) {}

  // Adds shown and hidden calls to the lane. Returns their number. The record at which the loop stops must be
  // passed to the filter again, even if the filter has already seen it.
  template <std::endian Order>
  std::size_t operator()(const PlainRecords<Order>& records, std::uint64_t offset) const {
    if (labels_ == nullptr) return 0;
    return records.count_while([&](const CallRecord& call) {
      const bool is_done = call.is_entry() ? try_begin(call, offset) : try_end(call);
      offset += kRecordSize;
      return is_done;
    });
  }

 private:
  bool try_end(const CallRecord& call) const {
    if (!lane_.can_end(call.time_ns, call.address, call.depth)) return false;
    lane_.end(call.time_ns);
    return true;
  }
  bool try_begin(const CallRecord& call, std::uint64_t offset) const {
    const FunctionRule* const* const rule = filter_.plain_rule(call.address);
    if (rule == nullptr || !lane_.can_begin(call.time_ns, call.depth)) return false;
    if (!filter_.enter_plain(call.depth, *rule, offset)) {
      lane_.begin_filtered(call.time_ns, call.address);
      return true;
    }
    const CallLabel* const label = labels_->find(call.address);
    if (label == nullptr || label->line != CallLabel::kNoLine) return false;
    lane_.begin(call.time_ns, label->label, call.address);
    return true;
  }

  Lane& lane_;
  const LabelCache* labels_;
  OptionFilter& filter_;
};

}  // namespace convert::uftrace
