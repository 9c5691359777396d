#include "converters/uftrace/filters/kept_call_scan.h"

#include <algorithm>

#include "converters/uftrace/events/event_ids.h"

namespace convert::uftrace {

KeptCallScan::KeptCallScan(const WalkedThread& thread, FilterTable& table, Symbolizer& symbolizer,
                           KeptCalls& kept_calls)
    : table_(table),
      kept_calls_(kept_calls),
      needs_functions_(table.looks_at_functions()),
      walk_(thread),
      symbols_(symbolizer, thread.task) {
  for (Walk::Call& call : walk_.open().calls()) inferred(call);
}

bool KeptCallScan::step() {
  left_ = kStep;
  walk_.run(*this);
  if (!walk_.is_at_end()) return true;
  keep_open();
  return false;
}

const FunctionRule* KeptCallScan::rule_at(std::uint64_t address) {
  return rules_.get(address, [&] { return table_.rule_of(symbols_, address); });
}

// Sets the data of the innermost open call, which has just been opened.
void KeptCallScan::enter(const CallRecord& call, std::uint64_t offset) {
  const auto calls = walk_.open().calls();
  CallData& inside = calls.back().data;
  inside.begin_ns = call.time_ns;
  inside.offset = offset;
  inside.time_ns = calls.size() == 1 ? table_.options().time_ns : calls[calls.size() - 2].data.time_ns;
  inside.size = calls.size() == 1 ? table_.options().size : calls[calls.size() - 2].data.size;
  const FunctionRule* const rule = needs_functions_ ? rule_at(call.address) : nullptr;
  if (rule != nullptr && rule->has(Setting::Time)) inside.time_ns = rule->actions.time_ns;
  if (rule != nullptr && rule->has(Setting::Size)) inside.size = rule->actions.size;
  const bool is_too_small = rule != nullptr && inside.size != 0 && rule->size < inside.size;
  inside.shortest_ns = table_.shortest_kept_ns(rule, is_too_small, inside.time_ns);
}

void KeptCallScan::inferred(Walk::Call& call) {
  call.data.time_ns = table_.options().time_ns;
  call.data.size = table_.options().size;
  keep_open();
}

void KeptCallScan::before_call(const RecordItem& item) {
  --left_;
  if (needs_functions_ && symbols_.move_to(item.call.time_ns)) rules_.clear();
}

// If the entry of a call has an impossible time, the length of the call is unknown, so the call is kept.
void KeptCallScan::after_call(const RecordItem& item) {
  if (!item.call.is_entry()) return;
  if (item.what == RecordItem::What::BadTime)
    inferred(walk_.open().calls().back());
  else
    enter(item.call, item.begin);
}

void KeptCallScan::other_record(const RecordItem& item) {
  --left_;
  const bool is_kept = item.what == RecordItem::What::Loss ||
                       (item.what == RecordItem::What::Event && item.call.address >= kFirstUserEvent);
  if (is_kept) keep_open();
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

// Frees the previous part, because is_kept() is called with ascending offsets.
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
