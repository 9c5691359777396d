// Adds each record to its piece, and leaves out records that can't be written. If the size of pieces is
// limited, records first wait in a ReadAhead. After that, the filter decides whether they are kept.
#include "fxt/cutter.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "fxt/checking/value_rules.h"
#include "fxt/cutting/chosen_records.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/held_texts.h"
#include "fxt/cutting/piece_sequence.h"

namespace fxt {
namespace {

// Records that wait until a whole block of records has been read. A piece may extend only to a time before
// which all records are known.
class ReadAhead {
 public:
  explicit ReadAhead(HeldTexts& texts) : texts_(&texts) {}

  void add(const Record& record, std::uint64_t bytes) {
    if (count_ == records_.size()) records_.emplace_back();
    records_[count_].record.assign(record, *texts_);
    records_[count_++].bytes = bytes;
    if (const auto* const event = std::get_if<Event>(&record)) end_ = std::max(end_, event->end);
    bytes_ += bytes;
  }
  // Calls `consume(record, bytes)` with all waiting records, in their order.
  template <typename Consume>
  void release(Consume consume) {
    const std::size_t count = std::exchange(count_, 0);
    bytes_ = end_ = 0;
    for (std::size_t i = 0; i < count; ++i) consume(records_[i].record.record(), records_[i].bytes);
  }
  bool empty() const { return count_ == 0; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t end() const { return end_; }  // the latest end of the records

 private:
  struct Waiting {
    Held<Record> record = {};
    std::uint64_t bytes = 0;  // size of the record in the trace
  };

  HeldTexts* texts_;
  std::vector<Waiting> records_;  // records from index count_ on are unused, and keep their memory
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace

class Cutter::State {
 public:
  State(const CutOptions& options, PieceOutputs& outputs)
      : is_sized_(options.split_bytes != 0),
        held_(texts_),
        filter_(options),
        pieces_(options, outputs, counters, texts_) {}

  void add(const Entry& entry, const Reader& reader);
  void finish();

  CutCounters counters;

 private:
  void consume_any(const Record& record, std::uint64_t bytes);
  void consume(const Record& record);
  // For --split-size: makes the record wait until a whole block of records has been read. A record that is
  // larger than a block does not wait.
  void hold(const Record& record, std::uint64_t bytes);
  // Consumes the waiting records. All records that begin before `next_time` must have been added.
  void consume_held(std::uint64_t next_time);

  bool is_sized_;               // --split-size
  std::uint32_t provider_ = 0;  // provider of the latest record
  std::uint64_t latest_ = 0;    // latest begin of a record
  HeldTexts texts_;             // owns the texts of the records in the members below
  ReadAhead held_;
  ChosenRecords filter_;
  PieceSequence pieces_;
};

namespace {

// True if the record refers to a string or thread that was never registered. Readers drop such records.
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
        if constexpr (std::is_same_v<T, Event>)  // a counter's argument is a series, so its name is needed
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
  const std::size_t name = path.rfind('/') + 1;  // 0 without a slash
  std::size_t suffix = path.size();
  for (const std::string_view format : {".fxt", ".json"})
    if (const std::size_t at = path.rfind(format); at != std::string::npos && at >= name)
      suffix = suffix == path.size() ? at : std::max(suffix, at);
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
  // Records come in the order of time. Therefore, records of several providers alternate, and a record may
  // come before the info record of its provider.
  if (const std::uint32_t provider = reader.provider_id(); provider != provider_) {
    provider_ = provider;
    const bool is_change = std::holds_alternative<ProviderInfo>(entry.record) ||
                           std::holds_alternative<ProviderSection>(entry.record);
    if (!is_change && provider != 0)
      consume_any(Record(ProviderInfo{.id = provider, .name = reader.provider_name()}), 0);
  }
  if (refers_to_nothing(entry.record))
    ++counters.unwritable;
  else if (reader.ticks_per_second() == kTicksPerSecond)
    consume_any(entry.record, entry.words.size_bytes());
  else if (const auto record = in_ns(entry.record, reader))
    consume_any(*record, entry.words.size_bytes());
  else
    ++counters.unwritable;
}

void Cutter::State::consume_any(const Record& record, std::uint64_t bytes) {
  if (is_of_writer(record)) return;
  if (const auto time = time_of(record); time && *time < kTimeLimit) pieces_.know_start(*time);
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
  consume_held(held_.end());
  pieces_.finish();
}

}  // namespace fxt
