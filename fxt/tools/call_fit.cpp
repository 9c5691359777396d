#include "fxt/tools/call_fit.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/format.h"
#include "fxt/hash.h"
#include "fxt/pairing.h"
#include "fxt/support/compressed_files.h"
#include "fxt/words.h"

namespace fxt::tools {
namespace {

constexpr std::uint64_t kForever = CallLengths::kForever;

// Counts the words of a trace, without writing it.
class ByteCount final : public PieceOutputs, public Output {
 public:
  Output& next(std::size_t /*number*/) override { return *this; }
  std::span<std::uint64_t> exchange(std::size_t filled_words) override {
    words_ += static_cast<std::int64_t>(filled_words);
    return buffer_;
  }
  std::int64_t words() const { return words_; }

 private:
  std::vector<std::uint64_t> buffer_ = std::vector<std::uint64_t>(kMinBufferWords);
  std::int64_t words_ = 0;
};

bool is_start(const Event& event) {
  return event.type == EventType::DurationBegin || event.type == EventType::DurationComplete;
}

std::uint64_t number_in(const Event& event, std::string_view name) {
  for (const Argument& argument : event.arguments)
    if (argument.name.text == name) {
      if (const auto* const number = std::get_if<std::uint64_t>(&argument.value)) return *number;
      if (const auto* const small = std::get_if<std::uint32_t>(&argument.value)) return *small;
    }
  return 0;
}

}  // namespace

// One pass over the trace. Leaves out the calls that are too short. If `counted` is not null, counts these
// calls by length.
class CallFit::Pass final : public CallListener {
 public:
  Pass(const CutOptions& cut, std::uint64_t shortest_ns, CallLengths* counted)
      : cut_(cut), shortest_ns_(shortest_ns), counted_(counted) {}

  // Reads all records, and gives them to `add`.
  template <typename Add>
  void run(EntrySource& source, Add add) {
    for (const Entry* entry = source.next(); entry != nullptr; entry = source.next(), ++record_) {
      words_ = entry->words.size();
      event_ = std::get_if<Event>(&entry->record);
      start_ = kNone;
      add(*entry, source.reader());
      pairing_.add(*entry, source.reader());
      if (event_ != nullptr && is_flow(event_->type)) keep_around(source.reader());
    }
    source.check_system();
    pairing_.finish();
    for (ShortCalls& calls : tracks_) {
      calls.flush();
      left_out.add(calls.in_shown_calls());
      left_out.add(calls.outside_of_calls());
    }
  }

  // Must be called for each start of a call for which the Cutter calls `keeps`. `start` is the number of such
  // starts before this one.
  void set_start(std::uint64_t start) { start_ = start; }

  void started(CallTrack& track, Call& call, const Event& event) override {
    while (track.index >= tracks_.size()) {
      tracks_.emplace_back(shortest_ns_, counted_);
      open_.emplace_back();
    }
    std::vector<Open>& open = open_[track.index];
    if (open.size() <= call.depth) open.resize(call.depth + 1);
    open[call.depth] = {.start = is_chosen(event) ? start_ : kNone,
                        .record = record_,
                        .words = words_,
                        .label = label_of(event, call.name_index),
                        .before = {number_in(event, kLeftOut), number_in(event, kLeftOutNs)}};
  }
  void ended(CallTrack& track, const Call& call) override {
    ShortCalls& calls = tracks_[track.index];
    const Open& open = open_[track.index][call.depth];
    if (open.start == kNone || pairing_.part_of(call).is_empty) return calls.pass_on(call.depth);
    calls.add_missing(call.depth, open.before);
    if (call.is_pair && call.has_end && event_ != nullptr)
      calls.add_missing(call.depth, {number_in(*event_, kLeftOut), number_in(*event_, kLeftOutNs)});
    if (!call.has_end) calls.keep(call.depth);
    const std::size_t words = open.words + (call.is_pair ? words_ : 0);
    if (calls.leaves_out(call.depth, call.length_ns()))
      return calls.leave_out(call.depth, call.length_ns(), words, open.label);
    if (call.length_ns() < shortest_ns_) kept_words += static_cast<std::int64_t>(words);
    const MissingCalls inside = calls.show(call.depth);
    if (shown != nullptr) shown->add({open.record, open.start, inside});
  }

  SortedSpool<ShownCall>* shown = nullptr;
  std::int64_t kept_words = 0;
  MissingCalls left_out;
  CallLengths::NameWords name_words() {
    return {.names_of = [this](std::uint32_t label) { return *labels_[label]; },
            .words_of = [this](std::uint32_t name) { return texts_.words_of(name); }};
  }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  class TextNumbers {
   public:
    std::uint32_t number_of(const String& text) {
      if (text.storage != Storage::Table) return number_of(std::string());
      return number_of(std::string(text.text));
    }
    std::int64_t words_of(std::uint32_t number) const { return words_[number]; }

   private:
    std::uint32_t number_of(const std::string& text) {
      const auto [known, is_new] = numbers_.try_emplace(text, static_cast<std::uint32_t>(words_.size()));
      if (is_new)
        words_.push_back(text.empty() ? 0 : 1 + static_cast<std::int64_t>(fxt::words_of(text.size())));
      return known->second;
    }

    SeededMap<std::string, std::uint32_t> numbers_;
    std::vector<std::int64_t> words_;
  };

  struct Open {
    std::uint64_t start;  // the `start` of set_start(); kNone: the call is not chosen
    std::uint64_t record;
    std::size_t words;
    std::uint32_t label;
    MissingCalls before;  // the calls that an earlier --fit has left out
  };

  bool is_chosen(const Event& event) const {
    return (cut_.threads.empty() ||
            std::ranges::find(cut_.threads, event.thread.thread) != cut_.threads.end()) &&
           (!cut_.keeps || cut_.keeps(event));
  }
  std::uint32_t label_of(const Event& event, std::uint32_t name_index) {
    if (counted_ == nullptr) return 0;
    if (name_index >= labels_.size()) labels_.resize(name_index + 1);
    if (auto& label = labels_[name_index]; !label)
      label = {texts_.number_of(event.category), texts_.number_of(event.name)};
    return name_index;
  }

  // Shows the call around a flow event even if the call is too short, because a flow must be inside a call.
  void keep_around(const Reader& reader) {
    const auto time_ns = time_of(Record(*event_), reader);
    if (!time_ns) return;
    const CallTrack& track = pairing_.advance(event_->thread, *time_ns);
    if (!track.calls.empty() && track.index < tracks_.size())
      tracks_[track.index].keep(track.calls.size() - 1);
  }

  const CutOptions& cut_;
  const std::uint64_t shortest_ns_;
  CallLengths* const counted_;
  Pairing pairing_{*this, {.asyncs = false, .range = cut_.range}};
  std::vector<ShortCalls> tracks_;
  std::vector<std::vector<Open>> open_;                              // by CallTrack::index and depth
  std::vector<std::optional<std::array<std::uint32_t, 2>>> labels_;  // texts_' numbers of category and name
  TextNumbers texts_;
  std::uint64_t record_ = 0;
  const Event* event_ = nullptr;  // the event of the latest record, if it is an event
  std::uint64_t start_ = kNone;
  std::size_t words_ = 0;
};

// Runs a pass. Returns the number of words in all records that must be kept. `thinning` may be null.
std::int64_t CallFit::run(Pass& pass, EntrySource& source, Thinning* thinning) const {
  ByteCount others;
  CutOptions without_calls = cut_;
  without_calls.split_bytes = without_calls.split_ns = 0;
  std::uint64_t starts = 0;
  without_calls.keeps = [&](const Event& event) {
    if (is_start(event)) pass.set_start(starts++);
    return !is_duration(event.type) && (!cut_.keeps || cut_.keeps(event));
  };
  Cutter cutter(without_calls, others);
  pass.run(source, [&](const Entry& entry, const Reader& reader) {
    cutter.add(entry, reader);
    if (thinning != nullptr) thinning->next(entry, reader);
  });
  cutter.finish();
  if (thinning != nullptr) thinning->finish();
  return others.words() + pass.kept_words;
}

CallFit::CallFit(const Open& open, const CutOptions& cut, std::uint64_t most_bytes)
    : cut_(cut), thinning_(cut) {
  constexpr std::int64_t kWordsOfNames = 2 + words_of(kLeftOut.size()) + words_of(kLeftOutNs.size());
  const auto words = static_cast<std::int64_t>(most_bytes / sizeof(std::uint64_t));
  CallLengths::Interval part = CallLengths::kWhole;
  std::int64_t others = 0, words_above = 0;
  for (;;) {
    const auto source = open();
    CallLengths call_lengths(part);
    Pass pass(cut_, kForever, &call_lengths);
    const bool is_first = part.end_ns == kForever;
    if (is_first) thinning_.begin_count(cut_.range);
    const std::int64_t taken = run(pass, *source, is_first ? &thinning_ : nullptr);
    if (is_first) {
      const std::int64_t calls = call_lengths.fit(kAnyWords, 0, pass.name_words()).words + kWordsOfNames;
      others = taken > words / 2 ? thinning_.share(words, taken, calls) : taken;
      if (others > words)
        throw FileError(fmt::format(
            "{}: records other than durations, counters, switches and instants take {} bytes, which is more "
            "than --fit allows; use a larger --fit, or omit records (-r, --tid, --exclude)",
            source->path(), others * std::int64_t{sizeof(std::uint64_t)}));
    }
    const auto fitting = call_lengths.fit(words - others - kWordsOfNames, words_above, pass.name_words());
    shortest_ns_ = fitting.shortest_ns;
    words_ = others + kWordsOfNames + fitting.words;
    if (fitting.too_short.width_ns() <= 1) break;
    part = fitting.too_short;
    words_above = fitting.words;
  }
  const auto source = open();
  Pass pass(cut_, shortest_ns_, nullptr);
  pass.shown = &shown_;
  thins_ = thinning_.is_needed();
  if (thins_) thinning_.begin_choice(cut_.range);
  run(pass, *source, thins_ ? &thinning_ : nullptr);
  shown_.rewind();
  left_out_ = pass.left_out;
  if (thins_) thinning_.begin_last(cut_.range);
}

CutOptions CallFit::options() {
  CutOptions options = cut_;
  options.keeps = [this](const Event& event) { return is_shown(event); };
  return options;
}

bool CallFit::is_shown(const Event& event) {
  const bool is_chosen = !cut_.keeps || cut_.keeps(event);
  if (!is_start(event)) return is_chosen;
  const bool is_listed = !started_.empty() && started_.front() == starts_;
  if (is_listed) started_.pop_front();
  ++starts_;
  return is_listed;
}

const Entry* CallFit::changed(const Entry& entry, const Reader& reader) {
  const std::uint64_t record = records_++;
  const auto* const event = std::get_if<Event>(&entry.record);
  // Only the start of a call has the number of missing calls. A number that an earlier --fit has added to the
  // end is removed.
  if (event != nullptr && event->type == EventType::DurationEnd && number_in(*event, kLeftOut) != 0)
    return &with_missing(entry, {});
  const ShownCall* const shown = shown_.front();
  if (shown == nullptr || shown->record != record) return thins_ ? thinning_.next(entry, reader) : &entry;
  const MissingCalls missing = shown->missing;
  started_.push_back(shown->start);
  shown_.pop();
  return missing.calls == 0 ? &entry : &with_missing(entry, missing);
}

const Entry& CallFit::with_missing(const Entry& entry, const MissingCalls& missing) {
  changed_ = entry;
  Event& event = std::get<Event>(changed_.record);
  std::vector<Argument> arguments;
  for (const Argument& argument : event.arguments)
    if (argument.name.text != kLeftOut && argument.name.text != kLeftOutNs) arguments.push_back(argument);
  if (missing.calls != 0 && arguments.size() + 2 <= kMaxArguments) {
    arguments.push_back({kLeftOut, missing.calls});
    arguments.push_back({kLeftOutNs, missing.time_ns});
  }
  event.arguments = Arguments(std::move(arguments));
  return changed_;
}

}  // namespace fxt::tools
