// The passes over a trace. The first pass finds out whether the file is in order. If not, a second pass keeps
// the late records, which come too late in the file. The last pass returns all records.
#include "fxt/ordered_reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/hash.h"
#include "fxt/reading/first_look.h"
#include "fxt/reading/late_records.h"
#include "fxt/reading/record_stream.h"
#include "fxt/reading/temporary_file.h"

namespace fxt {
namespace {

// The position of a record in the order of time.
struct TimePlace {
  std::uint64_t ns = 0;
  bool lasts = false;       // a complete event with a length above 0
  std::uint32_t track = 0;  // if `lasts`: the number of the thread
  std::uint64_t end = 0;    // if `lasts`: in ticks
};

// Numbers threads from 0.
class TrackNumbers {
 public:
  std::uint32_t number_of(const Thread& thread) {
    auto& [latest, number] = latest_[thread.index % latest_.size()];
    if (latest != thread || numbers_.empty()) {
      number = numbers_.try_emplace(thread, static_cast<std::uint32_t>(numbers_.size())).first->second;
      latest = thread;
    }
    return number;
  }

 private:
  SeededMap<Thread, std::uint32_t> numbers_;
  std::array<std::pair<Thread, std::uint32_t>, 256> latest_ = {};
};

// The time of a record; nothing for records that are not sorted.
std::optional<std::uint64_t> ns_of(const Record& record, const Reader& reader) {
  const auto ticks = std::holds_alternative<LargeBlob>(record) ? std::nullopt : time_of(record);
  return ticks ? reader.possible_ns(*ticks) : std::nullopt;
}

TimePlace place_of(const Record& record, std::uint64_t ns, const Reader& reader, TrackNumbers& tracks) {
  const auto* const event = std::get_if<Event>(&record);
  if (event == nullptr || event->type != EventType::DurationComplete || event->end <= event->time ||
      !reader.possible_ns(event->end))
    return {.ns = ns};
  return {.ns = ns, .lasts = true, .track = tracks.number_of(event->thread), .end = event->end};
}

// Finds the late records. Two passes over the same trace give the same results.
class LateFinder {
 public:
  bool is_before(std::uint64_t ns) const { return ns < latest_ns_; }
  bool is_late(const TimePlace& place) {
    if (is_before(place.ns)) return true;
    latest_ns_ = place.ns;
    if (!place.lasts) return false;
    if (place.track >= ties_.size()) ties_.resize(std::size_t{place.track} + 1);
    Tie& tie = ties_[place.track];
    if (tie.ns == place.ns && place.end > tie.shortest_end) return true;
    tie = {.ns = place.ns, .shortest_end = place.end};
    return false;
  }

 private:
  // The complete events of a thread that begin together.
  struct Tie {
    std::uint64_t ns = kTimeLimit;
    std::uint64_t shortest_end = 0;
  };
  std::uint64_t latest_ns_ = 0;
  std::vector<Tie> ties_;  // by track
};

// The kept records of one time, in their final order.
class TimeGroup {
 public:
  bool empty() const { return left_ == 0; }
  std::uint64_t ns() const { return records_.front().ns(); }

  void take(std::span<KeptRecord> records) {
    records_ = records;
    is_given_.assign(records_.size(), false);
    left_ = records_.size();
    next_ = 0;
    if (left_ > 1) sort_lasting();
  }
  const KeptRecord& first() {
    while (is_given_[next_]) ++next_;
    return give(next_);
  }
  // The longest of the remaining kept records that enclose this record. Null if there is none.
  const KeptRecord* enclosing(const TimePlace& place) {
    if (!place.lasts) return nullptr;
    if (records_.size() == 1) return is_around(records_[0], place) ? &give(0) : nullptr;
    const auto track = std::ranges::lower_bound(tracks_, place.track, {}, &Track::number);
    if (track == tracks_.end() || track->number != place.track) return nullptr;
    while (track->next < lasting_.size() && is_given_[lasting_[track->next]]) ++track->next;
    if (track->next == lasting_.size()) return nullptr;
    const std::size_t longest = lasting_[track->next];
    return is_around(records_[longest], place) ? &give(longest) : nullptr;
  }

 private:
  struct Track {
    std::uint32_t number;
    std::size_t next;  // index in lasting_; earlier records of the track have been returned
  };

  static bool is_around(const KeptRecord& record, const TimePlace& place) {
    return record.lasts() && record.track() == place.track && record.end() > place.end;
  }
  const KeptRecord& give(std::size_t i) {
    is_given_[i] = true;
    --left_;
    return records_[i];
  }
  // Sorts the complete events of each thread, so that longer events come first. Other records keep their
  // positions.
  void sort_lasting() {
    lasting_.clear();
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (records_[i].lasts()) lasting_.push_back(i);
    const auto track = [this](std::size_t i) { return records_[i].track(); };
    std::ranges::sort(lasting_, {}, [&](std::size_t i) { return std::pair(track(i), i); });
    longest_first_ = lasting_;
    std::ranges::sort(longest_first_, {},
                      [&](std::size_t i) { return std::tuple(track(i), ~records_[i].end(), i); });
    sorted_.clear();
    for (const std::size_t i : longest_first_) sorted_.push_back(records_[i]);
    tracks_.clear();
    for (std::size_t i = 0; i < lasting_.size(); ++i) {
      records_[lasting_[i]] = sorted_[i];
      if (tracks_.empty() || tracks_.back().number != sorted_[i].track())
        tracks_.push_back({.number = sorted_[i].track(), .next = i});
    }
  }

  std::span<KeptRecord> records_;
  std::vector<bool> is_given_;
  std::vector<std::size_t> lasting_;  // indices of the complete events: by track, longer ones first
  std::vector<Track> tracks_;
  std::size_t next_ = 0, left_ = 0;
  // Buffers for sort_lasting().
  std::vector<std::size_t> longest_first_;
  std::vector<KeptRecord> sorted_;
};

// A copy of an Input: in memory up to a limit, then in a temporary file.
class Spool {
 public:
  Spool(Input& input, std::size_t memory_bytes) {
    std::vector<std::byte> block(std::size_t{256} << 10);
    try {
      while (const std::size_t size = input.read(block)) {
        const auto bytes = std::span(block).first(size);
        if (file_.size() == 0 && memory_.size() + size <= memory_bytes)
          memory_.insert(memory_.end(), bytes.begin(), bytes.end());
        else
          file_.append(bytes);
      }
    } catch (const std::exception&) {
      failure_ = std::current_exception();
    }
  }
  std::unique_ptr<Input> open() const { return std::make_unique<Copy>(*this); }

 private:
  class Copy final : public Input {
   public:
    explicit Copy(const Spool& spool) : spool_(&spool) {}
    std::size_t read(std::span<std::byte> room) override {
      const std::size_t kept = spool_->memory_.size();
      const std::uint64_t left = kept + spool_->file_.size() - at_;
      if (left == 0 && spool_->failure_ != nullptr) std::rethrow_exception(spool_->failure_);
      if (at_ < kept) {
        const auto part = std::span(spool_->memory_).subspan(at_, std::min(room.size(), kept - at_));
        std::ranges::copy(part, room.begin());
        at_ += part.size();
        return part.size();
      }
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), left));
      spool_->file_.read(at_ - kept, room.first(size));
      at_ += size;
      return size;
    }

   private:
    const Spool* spool_;
    std::uint64_t at_ = 0;
  };

  std::vector<std::byte> memory_;
  TemporaryFile file_;
  std::exception_ptr failure_;
};

class MemoryInput final : public Input {
 public:
  explicit MemoryInput(std::span<const std::byte> memory) : left_(memory) {}
  std::size_t read(std::span<std::byte> room) override {
    const std::size_t size = std::min(room.size(), left_.size());
    std::ranges::copy(left_.first(size), room.begin());
    left_ = left_.subspan(size);
    return size;
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

class OrderedReader::State {
 public:
  State(Open open, const Options& options) : State(std::move(open), nullptr, options) {}
  State(Input& input, const Options& options)
      : State(nullptr, std::make_unique<Spool>(input, options.memory_bytes / 16), options) {}

  const Entry* next();
  bool is_in_order() const { return is_in_order_; }
  std::unique_ptr<Input> open() const { return open_(); }
  const Reader& reader() const { return is_kept_ ? again_.reader() : *reader_; }

 private:
  State(Open open, std::unique_ptr<Spool> spool, const Options& options)
      : spool_(std::move(spool)), open_(std::move(open)), sorted_(options.memory_bytes) {
    if (spool_) open_ = [this] { return spool_->open(); };
    is_in_order_ = look() || !keep_late();
    input_ = open_();
    reader_.emplace(*input_);
  }

  bool look();
  bool keep_late();
  void keep(const Entry& entry, const TimePlace& place, const Reader& reader);
  void read_on();
  const KeptRecord* next_kept();

  std::unique_ptr<Spool> spool_;  // a copy of the input, if the input can be read only once
  Open open_;
  bool is_in_order_ = false;
  TrackNumbers tracks_;
  Definitions definitions_;
  SortedRecords sorted_;
  std::vector<std::uint32_t> uses_;  // the provider and the definitions of the latest kept record
  std::vector<std::uint64_t> head_;  // header of the latest kept record

  // The state of the last pass.
  std::unique_ptr<Input> input_;
  std::optional<Reader> reader_;
  LateFinder late_finder_;
  const Entry* entry_ = nullptr;    // entry that has been read, but not returned
  std::optional<TimePlace> place_;  // position of entry_
  bool is_over_ = false;            // the file has no more records
  std::exception_ptr failure_;
  TimeGroup group_;
  KeptRecordReader again_{definitions_};
  bool is_kept_ = false;  // the latest returned record was a kept record
};

// Ignores failures of the input, because the last pass has the same failure. The last pass returns all
// records before the failure, and then reports the failure.
bool OrderedReader::State::look() {
  const std::unique_ptr<Input> input = open_();
  RecordStream stream(*input, {});
  try {
    return FirstLook().is_in_order(stream);
  } catch (const std::exception&) {
    return false;
  }
}

// Keeps the late records. Returns false if there are none.
bool OrderedReader::State::keep_late() {
  const std::unique_ptr<Input> input = open_();
  Reader reader(*input);
  const auto read = [&reader]() -> const Entry* {
    try {
      return reader.next();
    } catch (const std::exception&) {
      return nullptr;
    }
  };
  LateFinder late;
  bool has_any = false;
  while (const Entry* const entry = read()) {
    definitions_.add(*entry, reader);
    const auto ns = ns_of(entry->record, reader);
    if (!ns) continue;
    const TimePlace place = place_of(entry->record, *ns, reader, tracks_);
    if (!late.is_late(place)) continue;
    has_any = true;
    keep(*entry, place, reader);
  }
  sorted_.finish();
  return has_any;
}

void OrderedReader::State::keep(const Entry& entry, const TimePlace& place, const Reader& reader) {
  uses_.assign(1, reader.provider_id());
  const bool has_all = definitions_.append_uses(entry.record, reader, uses_);
  head_.assign({KeptHeader::Words::put(entry.words.size()) | KeptHeader::Uses::put(uses_.size() - 1) |
                    KeptHeader::Reset::put(has_all ? 0 : 1) | KeptHeader::Lasts::put(place.lasts ? 1 : 0) |
                    KeptHeader::Track::put(place.track),
                place.ns, entry.offset});
  for (std::size_t i = 0; i < uses_.size(); i += 2)
    head_.push_back(KeptRecord::Low::put(uses_[i]) |
                    KeptRecord::High::put(i + 1 < uses_.size() ? uses_[i + 1] : 0));
  sorted_.add(head_, entry.words);
}

const Entry* OrderedReader::State::next() {
  if (is_in_order_) return reader_->next();
  if (entry_ == nullptr && !is_over_) read_on();
  if (const KeptRecord* const kept = next_kept()) {
    is_kept_ = true;
    return &again_.read(*kept, reader_->other_byte_order());
  }
  is_kept_ = false;
  if (entry_ == nullptr && failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  return std::exchange(entry_, nullptr);
}

// Reads the next record that is not late.
void OrderedReader::State::read_on() {
  try {
    while ((entry_ = reader_->next()) != nullptr) {
      place_ = std::nullopt;
      const auto ns = ns_of(entry_->record, *reader_);
      if (!ns) return;
      if (late_finder_.is_before(*ns)) continue;
      place_ = place_of(entry_->record, *ns, *reader_, tracks_);
      if (!late_finder_.is_late(*place_)) return;
    }
  } catch (const std::exception&) {
    entry_ = nullptr;
    failure_ = std::current_exception();
  }
  is_over_ = true;
}

// The kept record that comes before entry_; null if no kept record does.
const KeptRecord* OrderedReader::State::next_kept() {
  if (!is_over_ && !place_) return nullptr;
  if (group_.empty()) {
    const KeptRecord* const front = sorted_.front();
    if (front == nullptr || (!is_over_ && front->ns() > place_->ns)) return nullptr;
    group_.take(sorted_.take_group());
  }
  return is_over_ || group_.ns() < place_->ns ? &group_.first() : group_.enclosing(*place_);
}

OrderedReader::OrderedReader(std::span<const std::byte> memory) : OrderedReader(memory, Options()) {}
OrderedReader::OrderedReader(std::span<const std::byte> memory, const Options& options)
    : OrderedReader([memory] { return std::make_unique<MemoryInput>(memory); }, options) {}
OrderedReader::OrderedReader(Open open) : OrderedReader(std::move(open), Options()) {}
OrderedReader::OrderedReader(Open open, const Options& options)
    : state_(std::make_unique<State>(std::move(open), options)) {}
OrderedReader::OrderedReader(Input& input) : OrderedReader(input, Options()) {}
OrderedReader::OrderedReader(Input& input, const Options& options)
    : state_(std::make_unique<State>(input, options)) {}
OrderedReader::~OrderedReader() = default;
OrderedReader::OrderedReader(OrderedReader&&) noexcept = default;
OrderedReader& OrderedReader::operator=(OrderedReader&&) noexcept = default;
const Entry* OrderedReader::next() { return state_->next(); }
bool OrderedReader::is_in_order() const { return state_->is_in_order(); }
std::unique_ptr<Input> OrderedReader::open() const { return state_->open(); }
const Reader& OrderedReader::reader() const { return state_->reader(); }

}  // namespace fxt
