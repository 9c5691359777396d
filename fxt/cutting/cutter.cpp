// The way of a record to its piece: it is left out if it can't be written, waits until the order of the trace
// is known, waits if the size of pieces is limited, and then passes the filter.
#include "fxt/cutter.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/checking/complete_order.h"
#include "fxt/checking/value_rules.h"
#include "fxt/cutting/chosen_records.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/piece_sequence.h"

namespace fxt {
namespace {

// So much waits at most until the order of the trace is known.
constexpr std::uint64_t kMaxBytesWithoutOrder = std::uint64_t{16} << 20;

// Records that wait until it is known what becomes of them.
class ReadAhead {
 public:
  void add(const Record& record, std::uint64_t bytes) {
    if (count_ == records_.size()) records_.emplace_back();
    records_[count_].record.assign(record);
    records_[count_++].bytes = bytes;
    if (const auto* const event = std::get_if<Event>(&record)) end_ = std::max(end_, event->end);
    bytes_ += bytes;
  }
  // Calls `consume(record, bytes)` with all of them, in their order.
  template <typename Consume>
  void release(Consume consume) {
    const std::size_t count = std::exchange(count_, 0);
    bytes_ = end_ = without_indices_ = 0;
    for (std::size_t i = 0; i < count; ++i) consume(records_[i].record.record(), records_[i].bytes);
  }
  // To be called when indices of the tables may change their meaning.
  void forget_indices() {
    for (; without_indices_ < count_; ++without_indices_) records_[without_indices_].record.forget_indices();
  }

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t end() const { return end_; }  // the latest of their ends

 private:
  struct Waiting {
    Held<Record> record = {};
    std::uint64_t bytes = 0;  // its size in the trace
  };

  std::vector<Waiting> records_;  // those behind count_ keep their memory
  std::size_t count_ = 0;
  std::size_t without_indices_ = 0;  // of them, from the first on
  std::uint64_t bytes_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

class Cutter::State {
 public:
  State(const CutOptions& options, PieceOutputs& outputs)
      : is_sized_(options.split_bytes != 0),
        order_(options.range == TimeRange{} ? CompleteOrder::ByBegin : CompleteOrder::Unknown),
        filter_(options),
        pieces_(options, outputs, counters) {}

  void add(const Entry& entry, const Reader& reader);
  void finish();

  CutCounters counters;

 private:
  // Takes a record, or lets it wait while the order of the trace is unknown.
  void wait_for_order(const Record& record, std::uint64_t bytes);
  CompleteOrder order_shown_by(const Record& record);
  // No record waits for the order any longer.
  void end_wait();
  void consume_any(const Record& record, std::uint64_t bytes);
  void consume(const Record& record);
  // For --split-size.
  void hold(const Record& record, std::uint64_t bytes);
  // Takes those that wait, the last of which come before `next_time`.
  void consume_held(std::uint64_t next_time);

  bool is_sized_;        // --split-size
  CompleteOrder order_;  // matters only where a range cuts durations
  ByThread<CompleteOrderEvidence> evidence_;
  ReadAhead unordered_;       // from the first record inside the range on, while the order is unknown
  std::uint64_t latest_ = 0;  // begin of all records so far
  ReadAhead held_;
  ChosenRecords filter_;
  PieceSequence pieces_;
};

namespace {

bool replaces_index(const Entry& entry) {
  return std::ranges::any_of(entry.problems, [](const Problem& problem) {
    return problem.kind == ProblemKind::StringReplaced || problem.kind == ProblemKind::ThreadReplaced;
  });
}

// Whether it refers to a string or thread that was never registered: readers drop such records.
bool refers_to_nothing(const Record& record) {
  const auto is_missing = [](const auto& part) { return part.storage == Storage::Missing; };
  return std::visit(
      [&]<typename T>(const T& value) {
        bool is_any = false;
        if constexpr (requires { value.thread.storage; }) is_any = is_any || is_missing(value.thread);
        if constexpr (requires { value.name.storage; }) is_any = is_any || is_missing(value.name);
        if constexpr (requires { value.category; }) is_any = is_any || is_missing(value.category);
        if constexpr (requires { value.outgoing.storage; })
          is_any = is_any || is_missing(value.outgoing) || is_missing(value.incoming);
        if constexpr (std::is_same_v<T, UserspaceObject>) is_any = is_any || is_missing(value.process);
        if constexpr (std::is_same_v<T, Event>)  // only the names of values tell counters apart
          is_any = is_any || (value.type == EventType::Counter &&
                              std::ranges::any_of(value.arguments, is_missing, &Argument::name));
        return is_any;
      },
      record);
}

}  // namespace

std::string piece_name(const std::string& path, std::size_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
  const std::size_t name = path.rfind('/') + 1;  // 0 if there is none
  std::size_t suffix = path.rfind(".fxt");
  if (suffix == std::string::npos || suffix < name) suffix = path.size();
  return path.substr(0, suffix) + '.' + digits + path.substr(suffix);
}

Cutter::Cutter(const CutOptions& options, PieceOutputs& outputs)
    : state_(std::make_unique<State>(options, outputs)) {}
Cutter::~Cutter() = default;
Cutter::Cutter(Cutter&&) noexcept = default;
Cutter& Cutter::operator=(Cutter&&) noexcept = default;
void Cutter::add(const Entry& entry, const Reader& reader) { state_->add(entry, reader); }
void Cutter::finish() { state_->finish(); }
const CutCounters& Cutter::counters() const { return state_->counters; }

void Cutter::State::add(const Entry& entry, const Reader& reader) {
  const bool changes_provider = std::holds_alternative<ProviderInfo>(entry.record) ||
                                std::holds_alternative<ProviderSection>(entry.record);
  if (changes_provider || replaces_index(entry)) {
    unordered_.forget_indices();
    consume_held(0);
    pieces_.forget_indices();
  }
  if (refers_to_nothing(entry.record))
    ++counters.unwritable;
  else if (reader.ticks_per_second() == kTicksPerSecond)
    wait_for_order(entry.record, entry.words.size_bytes());
  else if (const auto record = in_ns(entry.record, reader))
    wait_for_order(*record, entry.words.size_bytes());
  else
    ++counters.unwritable;
}

void Cutter::State::wait_for_order(const Record& record, std::uint64_t bytes) {
  if (order_ == CompleteOrder::Unknown) {
    order_ = order_shown_by(record);
    const std::optional<std::uint64_t> time = time_of(record);
    const bool is_behind_start = !unordered_.empty() || (time && !pieces_.is_before_range(*time));
    const bool has_room =
        unordered_.size() < kMaxWithoutOrder && unordered_.bytes() + bytes <= kMaxBytesWithoutOrder;
    if (order_ == CompleteOrder::Unknown && is_behind_start && has_room) return unordered_.add(record, bytes);
    if (order_ != CompleteOrder::Unknown || is_behind_start) end_wait();
  }
  consume_any(record, bytes);
}

CompleteOrder Cutter::State::order_shown_by(const Record& record) {
  const auto* const event = std::get_if<Event>(&record);
  if (event == nullptr || !is_duration(event->type) || ends_before_it_begins(*event))
    return CompleteOrder::Unknown;
  return evidence_[event->thread].shown_by(event->type, event->time, event->end);
}

void Cutter::State::end_wait() {
  if (order_ == CompleteOrder::ByEnd)
    pieces_.expect_order_of_ends();
  else
    order_ = CompleteOrder::ByBegin;
  unordered_.release([this](const Record& record, std::uint64_t bytes) { consume_any(record, bytes); });
  unordered_ = {};
  evidence_.clear();
}

void Cutter::State::consume_any(const Record& record, std::uint64_t bytes) {
  if (is_of_writer(record)) return;
  if (is_sized_)
    hold(record, bytes);
  else
    consume(record);
}

void Cutter::State::consume(const Record& record) {
  std::visit(
      [this](const auto& value) { filter_.filter(value, [this](const auto& kept) { pieces_.add(kept); }); },
      record);
}

void Cutter::State::hold(const Record& record, std::uint64_t bytes) {
  const std::uint64_t time = time_of(record).value_or(0);
  if (held_.bytes() + bytes > pieces_.block_bytes()) consume_held(time);
  latest_ = std::max(latest_, time);
  if (bytes > pieces_.block_bytes()) {
    pieces_.know_until(time);
    return consume(record);
  }
  held_.add(record, bytes);
}

void Cutter::State::consume_held(std::uint64_t next_time) {
  pieces_.know_until(next_time > latest_ ? next_time : latest_ + (held_.empty() ? 0 : 1));
  held_.release([this](const Record& record, std::uint64_t) { consume(record); });
}

void Cutter::State::finish() {
  if (!unordered_.empty()) end_wait();
  consume_held(held_.end());
  pieces_.finish();
}

}  // namespace fxt
