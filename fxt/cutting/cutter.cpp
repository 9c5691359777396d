// Dispatches each record to the piece or the state that it belongs to.
#include "fxt/cutter.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/checking/value_rules.h"
#include "fxt/cutting/carried_state.h"
#include "fxt/cutting/held.h"
#include "fxt/cutting/open_spans.h"
#include "fxt/cutting/piece.h"

namespace fxt {
namespace {

// Which events of a thread are kept, where not all are.
class KeptEvents {
 public:
  // Whether an event of the trace is kept. An end goes with its begin, whatever its name.
  bool is_kept(const Event& event, const std::function<bool(const Event&)>& keeps) {
    Durations& durations = threads_[{event.thread.process, event.thread.thread}];
    if (event.type == EventType::DurationEnd && !durations.open.empty()) {
      const bool is_kept = durations.open.back();
      durations.open.pop_back();
      return is_kept;
    }
    const bool is_kept = keeps(event);
    if (event.type == EventType::DurationBegin) durations.open.push_back(is_kept);
    if (event.type == EventType::DurationComplete && is_kept)
      durations.complete_until = std::max(durations.complete_until, event.end);
    return is_kept;
  }
  // Whether a duration that is kept lies around the event.
  bool is_in_duration(const Event& event) const {
    const auto found = threads_.find({event.thread.process, event.thread.thread});
    return found != threads_.end() &&
           (event.time <= found->second.complete_until || std::ranges::count(found->second.open, true) != 0);
  }

 private:
  struct Durations {
    std::vector<bool> open;            // the open durations, outermost first: whether they are kept
    std::uint64_t complete_until = 0;  // the latest end of those that are, and said in one
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Durations> threads_;  // by process and thread
};

}  // namespace

class Cutter::State {
 public:
  State(const CutOptions& options, PieceOutputs& outputs)
      : options_(options), outputs_(&outputs), edges_(options), open_spans_(counters), flows_(counters) {}

  void add(const Entry& entry, const Reader& reader);
  void finish();

  CutCounters counters;

 private:
  bool is_chosen(std::uint64_t thread) const;
  void take(const Record& record);
  // For --split-size: a record waits until it is known how long the piece lasts.
  void hold(const Record& record, std::uint64_t bytes);
  // Takes those that wait, the last of which come before `next_time`.
  void take_held(std::uint64_t next_time);
  // Handles the parts of the record that are kept.
  template <typename T>
  void take_chosen(const T& record);
  void take_kept(const Event& event);
  void take_switch(const ContextSwitch& record);
  // One for each kind of record that is treated by itself; the last one is for the others.
  void dispatch(const ProviderInfo& info);
  void dispatch(const ProviderSection& section);
  void dispatch(const KernelObject& object);
  void dispatch(const UserspaceObject& object);
  void dispatch(const Event& event);
  void dispatch(const LegacyContextSwitch& change);
  void dispatch(const ContextSwitch& change);
  void dispatch(const Blob& blob);
  template <typename T>
  void dispatch(const T& record);
  template <typename T>
  void add_untimed(const T& record, bool is_event);

  // Where the record lies; one inside has a piece afterwards, which lasts until then.
  PieceEdges::Side place(std::uint64_t time);
  void count(std::uint64_t time);
  void ensure_piece(std::uint64_t time);
  void open_piece();
  void begin_piece(std::uint64_t time);  // at its first record that has one
  void go_to(std::uint64_t time);        // to the piece that this time belongs to
  void close_piece(bool is_last);
  // Of what is open in the piece.
  std::uint64_t end_bytes() const { return open_spans_.end_bytes() + flows_.end_bytes(); }

  CutOptions options_;
  PieceOutputs* outputs_;
  PieceEdges edges_;
  KnownProviders providers_;
  CarriedState carried_;
  OpenSpans open_spans_;
  CutFlows flows_;
  KeptEvents kept_;
  std::vector<Held<Record>> held_;  // those behind held_count_ keep their memory
  std::size_t held_count_ = 0;
  std::uint64_t held_bytes_ = 0;
  std::uint64_t held_end_ = 0;  // the latest of their ends
  std::uint64_t latest_ = 0;    // begin of all records so far
  std::optional<Piece> piece_;
  bool is_placed_ = false;                                 // in time: the piece has such a record
  bool has_more_behind_ = false;                           // something lies behind the range
  PieceEdges::Side last_side_ = PieceEdges::Side::Inside;  // of what has no time
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

// What the Writer writes by itself.
bool is_of_tables(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<Initialization>(record) ||
         std::holds_alternative<StringRecord>(record) || std::holds_alternative<ThreadRecord>(record);
}

std::optional<std::uint64_t> time_of(const Record& record) {
  return std::visit(
      [](const auto& value) -> std::optional<std::uint64_t> {
        if constexpr (requires { value.time; }) return value.time;
        return std::nullopt;
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
    take_held(0);
    if (piece_) piece_->forget_indices();
  }
  const auto take_any = [&](const Record& record) {
    if (options_.split_bytes != 0)
      hold(record, entry.words.size_bytes());
    else
      take(record);
  };
  if (refers_to_nothing(entry.record))
    ++counters.unwritable;
  else if (reader.ticks_per_second() == kTicksPerSecond)
    take_any(entry.record);
  else if (const auto record = in_ns(entry.record, reader))
    take_any(*record);
  else
    ++counters.unwritable;
}

void Cutter::State::take(const Record& record) {
  std::visit([this](const auto& value) { take_chosen(value); }, record);
}

void Cutter::State::hold(const Record& record, std::uint64_t bytes) {
  if (is_of_tables(record)) return;
  const std::optional<std::uint64_t> time = time_of(record);
  if (held_bytes_ + bytes > edges_.block_bytes()) take_held(time.value_or(0));
  latest_ = std::max(latest_, time.value_or(0));
  if (bytes > edges_.block_bytes()) {
    edges_.know_until(time.value_or(0));
    return take(record);
  }
  if (held_count_ == held_.size()) held_.emplace_back();
  held_[held_count_++].assign(record);
  if (const auto* const event = std::get_if<Event>(&record)) held_end_ = std::max(held_end_, event->end);
  held_bytes_ += bytes;
}

void Cutter::State::take_held(std::uint64_t next_time) {
  edges_.know_until(next_time > latest_ ? next_time : latest_ + (held_count_ != 0 ? 1 : 0));
  const std::size_t count = std::exchange(held_count_, 0);
  held_bytes_ = held_end_ = 0;
  for (std::size_t i = 0; i < count; ++i) take(held_[i].record());
}

void Cutter::State::finish() {
  take_held(held_end_);
  ensure_piece(edges_.range_start());
  // What ends after the last record may need more pieces: some ends at a time.
  const std::vector<std::uint64_t> ends = open_spans_.ends_until(edges_.range_end());
  constexpr std::size_t kEndsAtOnce = 64;
  for (std::size_t i = 0; i < ends.size(); i += kEndsAtOnce) {
    const std::uint64_t end = ends[std::min(i + kEndsAtOnce, ends.size()) - 1];
    if (end <= piece_->span.end) continue;
    edges_.know_until(end);
    go_to(end - 1);
    open_spans_.settle(*piece_);
  }
  close_piece(true);
}

// ---- Pieces ----

PieceEdges::Side Cutter::State::place(std::uint64_t time) {
  last_side_ = edges_.side_of(time);
  if (last_side_ == PieceEdges::Side::Inside)
    count(time);
  else
    ++counters.outside;
  if (last_side_ == PieceEdges::Side::Before) return last_side_;
  has_more_behind_ |= last_side_ == PieceEdges::Side::After;
  // The range begins where it was asked to.
  ensure_piece(edges_.range_start() != 0 || last_side_ == PieceEdges::Side::After ? edges_.range_start()
                                                                                  : time);
  go_to(std::min(time, edges_.range_end()));
  return last_side_;
}

void Cutter::State::count(std::uint64_t time) {
  ++counters.events;
  if (!counters.first_ns) counters.first_ns = time;
  counters.last_ns = std::max(counters.last_ns, time);
}

void Cutter::State::ensure_piece(std::uint64_t time) {
  if (!piece_) open_piece();
  if (!is_placed_) begin_piece(time);
}

void Cutter::State::go_to(std::uint64_t time) {
  while (time > piece_->span.last && edges_.is_over(piece_->span, time, piece_->bytes(), end_bytes())) {
    close_piece(false);
    open_piece();
    // What ends meanwhile has its piece, too.
    begin_piece(std::min(time, open_spans_.next_end() - 1));
  }
}

void Cutter::State::open_piece() {
  piece_.emplace(outputs_->next(counters.pieces++), providers_, options_.provider_name, counters);
  is_placed_ = false;
  carried_.write_names(*piece_);
}

void Cutter::State::begin_piece(std::uint64_t time) {
  is_placed_ = true;
  piece_->span = edges_.begin(time);
  carried_.write_state(*piece_);
  open_spans_.begin_again(*piece_);
  counters.least_bytes = std::max(counters.least_bytes, edges_.set_head(piece_->bytes(), end_bytes()));
}

void Cutter::State::close_piece(bool is_last) {
  // No piece follows for what lasts longer.
  if (is_last) piece_->span.last = piece_->span.end = edges_.range_end();
  // Complete events may be told of late, after those inside them.
  open_spans_.begin_again(*piece_);
  open_spans_.settle(*piece_);
  if (!is_last || has_more_behind_) flows_.cut(open_spans_, *piece_);
  open_spans_.cut(*piece_, is_last && !has_more_behind_);
  piece_->finish();
  counters.largest_bytes = std::max(counters.largest_bytes, piece_->bytes());
  if (options_.split_bytes != 0 && piece_->bytes() > options_.split_bytes + edges_.block_bytes())
    ++counters.oversized;
  piece_.reset();
}

// ---- Records ----

bool Cutter::State::is_chosen(std::uint64_t thread) const {
  return options_.threads.empty() || std::ranges::find(options_.threads, thread) != options_.threads.end();
}

template <typename T>
void Cutter::State::take_chosen(const T& record) {
  if constexpr (std::is_same_v<T, LegacyContextSwitch>) {
    LegacyContextSwitch change = record;
    if (!is_chosen(change.outgoing.thread) && !is_chosen(change.incoming.thread)) return;
    if (!is_chosen(change.outgoing.thread)) change.outgoing = kIdleThread, change.outgoing_priority = 0;
    if (!is_chosen(change.incoming.thread)) change.incoming = kIdleThread, change.incoming_priority = 0;
    dispatch(change);
  } else if constexpr (std::is_same_v<T, ContextSwitch>) {
    take_switch(record);
  } else if constexpr (std::is_same_v<T, ThreadWakeup>) {
    if (is_chosen(record.thread)) dispatch(record);
  } else if constexpr (std::is_same_v<T, KernelObject>) {
    if (record.type != KernelObjectType::Thread || is_chosen(record.koid)) dispatch(record);
  } else if constexpr (requires { record.thread.thread; }) {
    if (!is_chosen(record.thread.thread)) return;
    if constexpr (std::is_same_v<T, Event>)
      if (options_.keeps) return take_kept(record);
    dispatch(record);
  } else {
    dispatch(record);
  }
}

void Cutter::State::take_kept(const Event& event) {
  if (!kept_.is_kept(event, options_.keeps)) return;
  if (is_flow(event.type) && !kept_.is_in_duration(event)) {
    Event duration = event;
    duration.type = EventType::DurationComplete;
    duration.end = event.time;
    duration.arguments = {};
    dispatch(duration);
  }
  dispatch(event);
}

void Cutter::State::take_switch(const ContextSwitch& record) {
  const bool from = is_chosen(record.outgoing_thread), to = is_chosen(record.incoming_thread);
  if (from && to) return dispatch(record);
  if (!from && !to) return;
  std::vector<Argument> arguments;
  for (const Argument& argument : record.arguments)
    if (argument.name.text == kOutgoingWeight ? from : argument.name.text != kIncomingWeight || to)
      arguments.push_back(argument);
  if (!from) arguments.push_back({kOutgoingWeight, kIdleWeight});
  if (!to) arguments.push_back({kIncomingWeight, kIdleWeight});
  ContextSwitch change = record;
  if (!from) change.outgoing_thread = 0;
  if (!to) change.incoming_thread = 0;
  change.arguments = Arguments(arguments);
  dispatch(change);
}

void Cutter::State::dispatch(const ProviderInfo& info) {
  if (providers_.ids.insert(info.id).second) providers_.all.emplace_back(info.id, info.name);
  providers_.current = info.id;
  if (piece_) piece_->write(Record(info));
}

void Cutter::State::dispatch(const ProviderSection& section) {
  providers_.current = section.id;
  if (piece_) piece_->write(Record(section));
}

void Cutter::State::dispatch(const KernelObject& object) {
  carried_.add(object);
  if (piece_) piece_->write(object);
}

void Cutter::State::dispatch(const UserspaceObject& object) {
  carried_.add(object);
  if (piece_) piece_->write(object);
}

void Cutter::State::dispatch(const LegacyContextSwitch& change) {
  if (place(change.time) == PieceEdges::Side::Inside) piece_->write(change);
  if (last_side_ != PieceEdges::Side::After) carried_.add(change);
}

void Cutter::State::dispatch(const ContextSwitch& change) {
  if (place(change.time) == PieceEdges::Side::Inside) piece_->write(change);
  if (last_side_ != PieceEdges::Side::After) carried_.add(change);
}

void Cutter::State::dispatch(const Event& event) {
  const PieceEdges::Side side = place(event.time);
  if (side == PieceEdges::Side::Inside && event.type == EventType::DurationComplete)
    counters.last_ns = std::max(counters.last_ns, std::min(event.end, edges_.range_end()));
  if (event.type == EventType::Counter) {
    if (side == PieceEdges::Side::Inside) piece_->write(event);
    if (side != PieceEdges::Side::After) carried_.add(event);
  } else if (is_flow(event.type)) {
    if (side == PieceEdges::Side::Inside)
      flows_.add(event, open_spans_, *piece_);
    else
      flows_.pass(event);
  } else if (side == PieceEdges::Side::Inside) {
    open_spans_.add(event, *piece_);
  } else if (is_duration(event.type) || is_async(event.type)) {
    if (side == PieceEdges::Side::Before)
      open_spans_.add_before(event, edges_.range_start());
    else
      open_spans_.add_after(event, *piece_);
  }
}

// Perfetto's packets before the first event describe the whole trace.
void Cutter::State::dispatch(const Blob& blob) {
  const bool is_of_all = blob.type == BlobType::Perfetto && !counters.first_ns && counters.outside == 0;
  if (!is_of_all) return add_untimed(blob, blob.type != BlobType::Perfetto);
  carried_.add(blob);
  if (piece_) piece_->write(Record(blob));
}

template <typename T>
void Cutter::State::dispatch(const T& record) {
  using std::is_same_v;
  if constexpr (is_same_v<T, Magic> || is_same_v<T, Initialization> || is_same_v<T, StringRecord> ||
                is_same_v<T, ThreadRecord>) {
    return;  // the Writer's own
  } else if constexpr (requires { record.time; }) {
    if (place(record.time) == PieceEdges::Side::Inside) piece_->write(Record(record));
  } else {
    add_untimed(record, is_same_v<T, LargeBlob> || is_same_v<T, LargeBlobWithoutMetadata> ||
                            is_same_v<T, ProviderEvent>);
  }
}

// Records without a time go with the record before them.
template <typename T>
void Cutter::State::add_untimed(const T& record, bool is_event) {
  if (last_side_ != PieceEdges::Side::Inside) {
    ++counters.outside;
    return;
  }
  counters.events += is_event ? 1 : 0;
  if (!piece_) open_piece();
  piece_->write(Record(record));
}

}  // namespace fxt
