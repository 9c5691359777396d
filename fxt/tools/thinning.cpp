#include "fxt/tools/thinning.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <string_view>
#include <variant>

#include "fxt/checking/value_rules.h"
#include "fxt/cutting/chosen_records.h"

namespace fxt::tools {
namespace {

constexpr std::uint64_t kAlways = CallLengths::kForever - 1;  // the length of a record that always stays
constexpr auto kCounters = ThinnedKinds::kCounters, kInstants = ThinnedKinds::kInstants,
               kSwitches = ThinnedKinds::kSwitches;

constexpr std::uint32_t kNoNames = CallLengths::Entry::kNone;

// Returns the length of the longest slots (see ThinnedKinds) for which the two times are not in the same
// slot. Adds half of the time between them, so that pairs with slots of equal length can be compared. This
// half is less than the length of the slots.
std::uint64_t gap_of(std::uint64_t earlier_ns, std::uint64_t later_ns) {
  return std::bit_floor(earlier_ns ^ later_ns) + (later_ns - earlier_ns) / 2;
}

std::size_t with_hash(std::size_t hash, std::size_t other) { return (hash ^ other) * 0x9e37'79b9'7f4a'7c15; }
std::size_t hash_of_text(std::string_view text) { return std::hash<std::string_view>{}(text); }

bool comes_from_idle(const LegacyContextSwitch& change) { return change.outgoing == kIdleThread; }
bool comes_from_idle(const ContextSwitch& change) {
  return change.outgoing_thread == 0 || is_idle(change.arguments, kOutgoingWeight);
}
// A record of the trace's thread table becomes two ids.
constexpr std::int32_t idle_words(const LegacyContextSwitch& /*change*/) { return 2; }
// The id becomes 0, and an argument says that this is the idle thread.
constexpr std::int32_t idle_words(const ContextSwitch& /*change*/) { return 1; }
bool goes_to_idle(const LegacyContextSwitch& change) { return change.incoming == kIdleThread; }
bool goes_to_idle(const ContextSwitch& change) {
  return change.incoming_thread == 0 || is_idle(change.arguments, kIncomingWeight);
}

}  // namespace

// ---- Lengths ----

void RecordLengths::add_counter(Ranked record, const Event& event, std::uint64_t time_ns) {
  std::size_t key = with_hash(with_hash(event.thread.process, event.id),
                              hash_of_names(event.category.text, event.name.text));
  Slot slot{.gap_ns = kAlways, .extremes = {}};
  for (const Argument& argument : event.arguments) {
    const auto value = number_of(argument.value);
    if (!value) continue;
    key = with_hash(key, hash_of_text(argument.name.text));
    slot.extremes.insert(slot.extremes.end(), 2, {*value, record.number, record.words});
  }
  slot.extremes.push_back({0, record.number, record.words});
  Counter& counter = counters_[key];
  if (!counter.slots.empty()) {
    slot.gap_ns = gap_of(counter.last_ns, time_ns);
    // Earlier slots that are shorter than this have ended.
    const std::uint64_t width_ns = std::max(2 * std::bit_floor(slot.gap_ns), std::uint64_t{1});
    while (counter.slots.size() > 1 && counter.slots.back().gap_ns < width_ns) join_slots(counter);
  }
  counter.last_ns = time_ns;
  counter.slots.push_back(std::move(slot));
}

void RecordLengths::join_slots(Counter& counter) {
  const Slot later = std::move(counter.slots.back());
  counter.slots.pop_back();
  std::vector<Extreme>& extremes = counter.slots.back().extremes;
  std::vector<Extreme> lost;
  for (std::size_t i = 0; i < extremes.size(); ++i) {
    const bool is_last = i + 1 == extremes.size();
    const double earlier = extremes[i].value, other = later.extremes[i].value;
    const bool is_replaced = is_last || (i % 2 == 0 ? other < earlier : other > earlier);
    lost.push_back(is_replaced ? std::exchange(extremes[i], later.extremes[i]) : later.extremes[i]);
  }
  rank_lost(lost, extremes, later.gap_ns);
}

// Reports the length of each record in `lost` once. Skips records that are still in `extremes`.
void RecordLengths::rank_lost(std::span<const Extreme> lost, std::span<const Extreme> extremes,
                              std::uint64_t length_ns) {
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const std::uint64_t number = lost[i].number;
    if (std::ranges::find(extremes, number, &Extreme::number) != extremes.end()) continue;
    const auto before = lost.first(i);
    if (std::ranges::find(before, number, &Extreme::number) != before.end()) continue;
    rank({.kind = kCounters, .number = number, .words = lost[i].words, .from_ns = 0, .to_ns = 0}, length_ns);
  }
}

void RecordLengths::add_instant(Ranked record, const Event& event, std::uint64_t time_ns) {
  const std::size_t key =
      with_hash(ThreadHash{}(event.thread), hash_of_names(event.category.text, event.name.text));
  const auto [known, is_first] = instants_.try_emplace(key, time_ns);
  rank(record, is_first ? kAlways : gap_of(std::exchange(known->second, time_ns), time_ns));
}

void RecordLengths::add_wakeup(Ranked record, std::uint64_t thread) {
  const auto [woken, is_new] = woken_.try_emplace(thread, record);
  if (!is_new) rank(std::exchange(woken->second, record), 0);
}

void RecordLengths::add_switch(Ranked record, std::uint16_t cpu, std::uint64_t time_ns, bool comes_from_idle,
                               std::uint64_t incoming) {
  const auto known = cpus_.find(cpu);
  record.from_ns = comes_from_idle ? 0 : kAlways;
  if (known != cpus_.end()) {
    record.from_ns = known->second.thread == 0 ? 0 : time_ns - known->second.time_ns;
    end_slice(known->second, record.from_ns);
  }
  Cpu& next = cpus_.insert_or_assign(cpu, Cpu{record, time_ns, incoming, std::nullopt}).first->second;
  if (const auto woken = woken_.find(incoming); woken != woken_.end()) {
    next.wakeup = woken->second;
    woken_.erase(woken);
  }
}

void RecordLengths::end_slice(Cpu& cpu, std::uint64_t length_ns) {
  cpu.change.to_ns = length_ns;
  ranked_(cpu.change);
  if (cpu.wakeup) rank(*cpu.wakeup, length_ns);
}

void RecordLengths::finish() {
  for (auto& [key, counter] : counters_) {
    while (counter.slots.size() > 1) join_slots(counter);
    rank_lost(counter.slots.front().extremes, {}, kAlways);
  }
  for (auto& [cpu, running] : cpus_) end_slice(running, running.thread == 0 ? 0 : kAlways);
  for (const auto& [thread, wakeup] : woken_) rank(wakeup, 0);
}

// ---- Passes ----

void Thinning::begin(Pass pass, const TimeRange& range) {
  pass_ = pass;
  window_ = TimeWindow(range);
  number_ = 0;
  lengths_.emplace([this](const RecordLengths::Ranked& record) { ranked(record); });
}

void Thinning::begin_last(const TimeRange& range) {
  begin(Pass::Last, range);
  kept_.rewind();
  left_out_ = {};
}

void Thinning::finish() {
  if (pass_ != Pass::Last) lengths_->finish();
  lengths_.reset();
}

bool Thinning::is_chosen(std::uint64_t thread) const {
  return cut_.threads.empty() || std::ranges::find(cut_.threads, thread) != cut_.threads.end();
}

// kNone: the record can't be left out.
std::size_t Thinning::kind_of(const Record& record) const {
  if (const auto* const event = std::get_if<Event>(&record)) {
    if (event->type != EventType::Instant && event->type != EventType::Counter) return kNone;
    if (!is_chosen(event->thread.thread) || (cut_.keeps && !cut_.keeps(*event))) return kNone;
    return event->type == EventType::Counter ? kCounters : kInstants;
  }
  const auto has_chosen = [this](const auto& change) {
    return is_chosen(outgoing_of(change)) || is_chosen(incoming_of(change));
  };
  if (const auto* const legacy = std::get_if<LegacyContextSwitch>(&record))
    return has_chosen(*legacy) ? kSwitches : kNone;
  if (const auto* const change = std::get_if<ContextSwitch>(&record))
    return has_chosen(*change) ? kSwitches : kNone;
  if (const auto* const wakeup = std::get_if<ThreadWakeup>(&record))
    return is_chosen(wakeup->thread) ? kSwitches : kNone;
  return kNone;
}

const Entry* Thinning::next(const Entry& entry, const Reader& reader) {
  const bool knows_start = window_.start().has_value();
  const std::size_t kind = kind_of(entry.record);
  if (kind == kNone && knows_start) return &entry;
  const auto ticks = time_of(entry.record);
  const auto time_ns = ticks ? reader.possible_ns(*ticks) : std::nullopt;
  if (!time_ns || window_.side_of(*time_ns) != TimeWindow::Side::Inside || kind == kNone) return &entry;
  if (pass_ == Pass::Last) return kept(entry, kind);
  add_length(entry.record, kind, *time_ns, static_cast<std::int32_t>(entry.words.size()));
  ++number_;
  return &entry;
}

void Thinning::add_length(const Record& record, std::size_t kind, std::uint64_t time_ns, std::int32_t words) {
  RecordLengths::Ranked ranked{.kind = kind, .number = number_, .words = words, .from_ns = 0, .to_ns = 0};
  const auto add_switch = [&](const auto& change) {
    ranked.from_idle_words = comes_from_idle(change) ? 0 : idle_words(change);
    ranked.to_idle_words = goes_to_idle(change) ? 0 : idle_words(change);
    const bool to_idle = goes_to_idle(change) || !is_chosen(incoming_of(change));
    lengths_->add_switch(ranked, change.cpu, time_ns,
                         comes_from_idle(change) || !is_chosen(outgoing_of(change)),
                         to_idle ? 0 : incoming_of(change));
  };
  if (const auto* const event = std::get_if<Event>(&record)) {
    if (kind == kCounters)
      lengths_->add_counter(ranked, *event, time_ns);
    else
      lengths_->add_instant(ranked, *event, time_ns);
  } else if (const auto* const wakeup = std::get_if<ThreadWakeup>(&record)) {
    lengths_->add_wakeup(ranked, wakeup->thread);
  } else if (const auto* const legacy = std::get_if<LegacyContextSwitch>(&record)) {
    add_switch(*legacy);
  } else {
    add_switch(std::get<ContextSwitch>(record));
  }
}

void Thinning::ranked(RecordLengths::Ranked record) {
  // The first record stays, because its time is the start of the trace.
  if (record.number == 0) record.from_ns = record.to_ns = kAlways;
  if (pass_ == Pass::Count) {
    // With a shortest length between the two lengths, the idle thread replaces one of the threads.
    const std::int32_t more = record.from_ns < record.to_ns ? record.from_idle_words : record.to_idle_words;
    const std::array<CallLengths::Entry, 2> counted{
        {{std::max(record.from_ns, record.to_ns), record.words + more, kNoNames},
         {std::min(record.from_ns, record.to_ns), -more, kNoNames}}};
    counted_[record.kind].add(counted);
    return;
  }
  const bool keeps_from = record.from_ns >= shortest_ns_[record.kind],
             keeps_to = record.to_ns >= shortest_ns_[record.kind];
  if (keeps_from || keeps_to) kept_.add(record.number * 4 + (keeps_from ? 1 : 0) + (keeps_to ? 2 : 0));
}

const Entry* Thinning::kept(const Entry& entry, std::size_t kind) {
  const std::uint64_t number = number_++;
  const std::uint64_t* const stays = kept_.front();
  if (stays == nullptr || *stays / 4 != number) {
    ++left_out_[kind];
    return nullptr;
  }
  const bool keeps_from = *stays % 2 != 0, keeps_to = *stays % 4 > 1;
  kept_.pop();
  const auto change = [&](const auto& record) -> const Entry* {
    const bool from = keeps_from || comes_from_idle(record), to = keeps_to || goes_to_idle(record);
    if (from && to) return &entry;
    changed_ = entry;
    changed_.record = with_idle(record, from, to);
    return &changed_;
  };
  if (const auto* const legacy = std::get_if<LegacyContextSwitch>(&entry.record)) return change(*legacy);
  if (const auto* const other = std::get_if<ContextSwitch>(&entry.record)) return change(*other);
  return &entry;
}

// ---- Sizes ----

std::int64_t Thinning::share(std::int64_t words, std::int64_t others, std::int64_t calls) {
  struct Kind {
    std::size_t kind;
    std::int64_t words;
  };
  std::array<Kind, ThinnedKinds::kCount> kinds{};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    kinds[kind] = {kind, counted_[kind].fit(kAnyWords, 0, {}).words};
    others -= kinds[kind].words;
  }
  if (others > words) return others;
  const std::int64_t left = words - others;
  std::int64_t room = std::max(left / 2, left - calls);
  // A kind that needs less than its share leaves the remaining words to the next kinds.
  std::ranges::sort(kinds, {}, &Kind::words);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto fitting =
        counted_[kinds[i].kind].fit(room / static_cast<std::int64_t>(kinds.size() - i), 0, {});
    shortest_ns_[kinds[i].kind] = fitting.shortest_ns;
    room -= fitting.words;
    others += fitting.words;
  }
  return others;
}

std::uint64_t Thinning::left_out() const {
  return std::accumulate(left_out_.begin(), left_out_.end(), std::uint64_t{0});
}

std::string Thinning::text() const {
  static constexpr std::array<std::string_view, ThinnedKinds::kCount> kNames{"value of a counter", "instant",
                                                                             "context switch or wakeup"};
  static constexpr std::array<std::string_view, ThinnedKinds::kCount> kPlurals{
      "values of counters", "instants", "context switches and wakeups"};
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < left_out_.size(); ++kind)
    if (left_out_[kind] != 0)
      parts.push_back(
          fmt::format("{} {}", left_out_[kind], left_out_[kind] == 1 ? kNames[kind] : kPlurals[kind]));
  return parts.empty() ? "" : fmt::format("{} left out", fmt::join(parts, ", "));
}

}  // namespace fxt::tools
