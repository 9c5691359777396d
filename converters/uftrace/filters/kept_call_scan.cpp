#include "converters/uftrace/filters/kept_call_scan.h"

#include <algorithm>
#include <utility>

#include "converters/uftrace/events/event_ids.h"

namespace convert::uftrace {

KeptCallScan::KeptCallScan(const WalkedThread& thread, FilterTable& table, Symbolizer& symbolizer,
                           KeptCalls& kept_calls)
    : table_(table),
      kept_calls_(kept_calls),
      needs_functions_(table.looks_at_functions()),
      walk_(thread),
      symbols_(symbolizer, thread.task) {
  for (std::size_t i = 0; i < walk_.open().depth(); ++i) open_inferred();
}

// Opens a call without an entry. Such calls are kept.
void KeptCallScan::open_inferred() {
  open_.push_back({.address = 0,
                   .begin_ns = 0,
                   .offset = kNowhere,
                   .time_ns = table_.options().time_ns,
                   .size = table_.options().size,
                   .shortest_ns = kForever,
                   .is_kept = false});
  keep_open();
}

bool KeptCallScan::step() {
  left_ = kStep;
  walk_.run(*this);
  if (!walk_.is_at_end()) return true;
  if (!open_.empty()) keep_open();
  return false;
}

const FunctionRule* KeptCallScan::rule_at(std::uint64_t address) {
  return rules_.get(address, [&] { return table_.rule_of(symbols_, address); });
}

void KeptCallScan::enter(const CallRecord& call, std::uint64_t offset) {
  Open inside{.address = call.address,
              .begin_ns = call.time_ns,
              .offset = offset,
              .time_ns = open_.empty() ? table_.options().time_ns : open_.back().time_ns,
              .size = open_.empty() ? table_.options().size : open_.back().size,
              .shortest_ns = kForever,
              .is_kept = false};
  const FunctionRule* const rule = needs_functions_ ? rule_at(call.address) : nullptr;
  if (rule != nullptr && rule->has(Setting::Time)) inside.time_ns = rule->actions.time_ns;
  if (rule != nullptr && rule->has(Setting::Size)) inside.size = rule->actions.size;
  const bool is_too_small = rule != nullptr && inside.size != 0 && rule->size < inside.size;
  inside.shortest_ns = table_.shortest_kept_ns(rule, is_too_small, inside.time_ns);
  open_.push_back(inside);
}

void KeptCallScan::before_call(const RecordItem& item) {
  --left_;
  if (needs_functions_ && symbols_.move_to(item.call.time_ns)) rules_.clear();
}

// Repeats the changes of the walk's open calls. A call without an exit or without an entry is kept.
void KeptCallScan::after_call(const RecordItem& item) {
  const CallRecord& call = item.call;
  const std::size_t around = walk_.open().depth() - (call.is_entry() ? 1 : 0);
  const std::size_t ended = around + (call.is_entry() ? 0 : 1);
  if (open_.size() > ended) {
    keep_open();
    open_.resize(ended, {});
  }
  while (open_.size() < ended) open_inferred();
  if (item.what == RecordItem::What::BadTime) {
    // The length of the call is unknown, so it is kept.
    if (call.is_entry()) open_inferred();
    keep_open();
    if (!call.is_entry()) open_.pop_back();
  } else if (call.is_entry()) {
    enter(call, item.begin);
  } else if (open_.back().address != call.address && open_.back().address != 0) {
    // This exit is from another function, so the open call ended without an exit.
    keep_open();
    open_.pop_back();
  } else {
    leave(call.time_ns);
  }
}

void KeptCallScan::other_record(const RecordItem& item) {
  --left_;
  const bool is_kept = item.what == RecordItem::What::Loss ||
                       (item.what == RecordItem::What::Event && item.call.address >= kFirstUserEvent);
  if (is_kept && !open_.empty()) keep_open();
}

namespace {

void set(std::uint64_t* words, std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << bit % 64; }

}  // namespace

void KeptCalls::keep(std::uint64_t offset) {
  const std::uint64_t number = offset / kPartBytes;
  if (number >= parts_.size()) parts_.resize(number + 1);
  Part& part = parts_[number];
  const std::size_t bit = bit_of(offset);
  if (!part.words.empty()) {
    set(part.words.data(), bit);
    return;
  }
  part.listed.push_back(static_cast<std::uint16_t>(bit));
  if (part.listed.size() <= kMaxListed) return;
  part.words.resize(kBits / kWordBits);
  for (const std::uint16_t listed : part.listed) set(part.words.data(), listed);
  part.listed = {};
}

// Earlier parts are not needed any more, because is_kept() is called with ascending offsets.
void KeptCalls::enter(std::uint64_t number) {
  if (part_ < number && part_ < parts_.size()) parts_[part_] = {};
  part_ = number;
  words_.fill(0);
  if (number >= parts_.size()) return;
  const Part& part = parts_[number];
  if (!part.words.empty()) std::ranges::copy(part.words, words_.begin());
  for (const std::uint16_t listed : part.listed) set(words_.data(), listed);
}

}  // namespace convert::uftrace
