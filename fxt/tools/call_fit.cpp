#include "fxt/tools/call_fit.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/format.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/short_calls.h"
#include "fxt/words.h"

namespace fxt::tools {
namespace {

constexpr std::uint64_t kForever = CallLengths::kForever;

// Counts the bytes of a trace that is not written.
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

// One pass over the trace. Leaves out the calls that are too short, and counts them by length if wanted.
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
      begin_ = kNone;
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

  // The numbers of a call among all calls of the Cutter, and among those with separate ends.
  void set_numbers(std::uint64_t start, std::size_t begin) {
    start_ = start;
    begin_ = begin;
  }

  void started(CallTrack& track, Call& call, const Event& event) override {
    while (track.index >= tracks_.size()) {
      tracks_.emplace_back(shortest_ns_, counted_);
      open_.emplace_back();
    }
    std::vector<Open>& open = open_[track.index];
    if (open.size() <= call.depth) open.resize(call.depth + 1);
    open[call.depth] = {.is_chosen = is_chosen(event),
                        .start = start_,
                        .begin = begin_,
                        .record = record_,
                        .words = words_,
                        .label = label_of(event, call.name_index),
                        .before = {number_in(event, kLeftOut), number_in(event, kLeftOutNs)}};
  }
  void ended(CallTrack& track, const Call& call) override {
    ShortCalls& calls = tracks_[track.index];
    const Open& open = open_[track.index][call.depth];
    if (!open.is_chosen || pairing_.part_of(call).is_empty) return calls.pass_on(call.depth);
    calls.add_missing(call.depth, open.before);
    if (call.is_pair && call.has_end && event_ != nullptr)
      calls.add_missing(call.depth, {number_in(*event_, kLeftOut), number_in(*event_, kLeftOutNs)});
    const bool knows_length = call.has_end && (!call.is_pair || open.begin != kNone);
    if (knows_length && call.is_pair && lengths != nullptr) (*lengths)[open.begin] = call.length_ns();
    if (!knows_length) calls.keep(call.depth);
    const std::size_t words = open.words + (call.is_pair ? words_ : 0);
    if (calls.leaves_out(call.depth, call.length_ns()))
      return calls.leave_out(call.depth, call.length_ns(), words, open.label);
    if (call.length_ns() < shortest_ns_) {
      kept_words += static_cast<std::int64_t>(words);
      if (kept != nullptr) kept->push_back(open.start);
    }
    if (const MissingCalls inside = calls.show(call.depth); inside.calls != 0 && missing != nullptr)
      missing->push_back({call.is_pair ? record_ : open.record, inside.calls, inside.time_ns});
  }

  std::vector<std::uint64_t>* lengths = nullptr;  // see CallFit::lengths_
  std::vector<Missing>* missing = nullptr;        // see CallFit::missing_
  std::vector<std::uint64_t>* kept = nullptr;     // see CallFit::kept_
  std::int64_t kept_words = 0;
  MissingCalls left_out;
  CallLengths::NameWords name_words() {
    return {.names_of = [this](std::uint32_t label) { return *labels_[label]; },
            .words_of = [this](std::uint32_t name) { return texts_.words_of(name); }};
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Numbers for texts.
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

    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<std::int64_t> words_;
  };

  struct Open {
    bool is_chosen;
    std::uint64_t start;
    std::size_t begin;
    std::uint64_t record;
    std::size_t words;
    std::uint32_t label;
    MissingCalls before;  // that an earlier --fit has left out
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

  // A flow must be inside a call, so this call is shown whatever length it has.
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
  std::vector<ShortCalls> tracks_;                                   // by CallTrack::index
  std::vector<std::vector<Open>> open_;                              // by CallTrack::index and depth
  std::vector<std::optional<std::array<std::uint32_t, 2>>> labels_;  // numbers of category and name
  TextNumbers texts_;
  std::uint64_t record_ = 0;
  const Event* event_ = nullptr;  // of the latest record, if it is an event
  std::uint64_t start_ = 0;
  std::size_t words_ = 0, begin_ = kNone;
};

// Runs a pass with a Cutter that keeps no call, and returns the words of its output.
std::int64_t CallFit::run(Pass& pass, EntrySource& source, std::vector<std::uint64_t>* lengths) const {
  ByteCount others;
  CutOptions without_calls = cut_;
  without_calls.split_bytes = without_calls.split_ns = 0;
  std::uint64_t starts = 0;
  std::size_t begins = 0;
  without_calls.keeps = [&](const Event& event) {
    if (is_start(event)) {
      pass.set_numbers(starts++, begins);
      if (event.type == EventType::DurationBegin) {
        ++begins;
        if (lengths != nullptr) lengths->push_back(kForever);
      }
    }
    return !is_duration(event.type) && (!cut_.keeps || cut_.keeps(event));
  };
  Cutter cutter(without_calls, others);
  pass.run(source, [&](const Entry& entry, const Reader& reader) { cutter.add(entry, reader); });
  cutter.finish();
  return others.words() + pass.kept_words;
}

CallFit::CallFit(const Open& open, const CutOptions& cut, std::uint64_t most_bytes) : cut_(cut) {
  CallLengths::Interval part = CallLengths::kWhole;
  std::int64_t words_above = 0;
  for (;;) {
    const auto source = open();
    CallLengths call_lengths(part);
    Pass pass(cut_, kForever, &call_lengths);
    lengths_.clear();
    pass.lengths = &lengths_;
    const std::int64_t others = run(pass, *source, &lengths_);
    const std::int64_t words = static_cast<std::int64_t>(most_bytes / sizeof(std::uint64_t)) - others;
    if (words < 0)
      throw FileError(fmt::format("{}: all records except durations take {} bytes; use a larger --fit",
                                  source->path(), others * std::int64_t{sizeof(std::uint64_t)}));
    constexpr std::int64_t kWordsOfNames = 2 + words_of(kLeftOut.size()) + words_of(kLeftOutNs.size());
    const auto fitting = call_lengths.fit(words - kWordsOfNames, words_above, pass.name_words());
    shortest_ns_ = fitting.shortest_ns;
    if (fitting.too_short.width_ns() <= 1) break;
    part = fitting.too_short;
    words_above = fitting.words;
  }
  const auto source = open();
  Pass pass(cut_, shortest_ns_, nullptr);
  pass.missing = &missing_;
  pass.kept = &kept_;
  run(pass, *source, nullptr);
  std::ranges::sort(missing_, {}, &Missing::record);
  std::ranges::sort(kept_);
  left_out_ = pass.left_out;
}

CutOptions CallFit::options() {
  CutOptions options = cut_;
  options.keeps = [this](const Event& event) { return is_shown(event); };
  return options;
}

bool CallFit::is_shown(const Event& event) {
  const bool is_chosen = !cut_.keeps || cut_.keeps(event);
  if (!is_start(event)) return is_chosen;
  const std::uint64_t length_ns =
      event.type == EventType::DurationBegin ? lengths_[begins_++] : event.end - event.time;
  const bool is_kept = next_kept_ != kept_.size() && kept_[next_kept_] == starts_;
  if (is_kept) ++next_kept_;
  ++starts_;
  return is_chosen && (is_kept || length_ns >= shortest_ns_);
}

const Entry& CallFit::changed(const Entry& entry) {
  const std::uint64_t record = records_++;
  if (next_missing_ == missing_.size() || missing_[next_missing_].record != record) return entry;
  const Missing& missing = missing_[next_missing_++];
  changed_ = entry;
  Event& event = std::get<Event>(changed_.record);
  std::vector<Argument> arguments;
  for (const Argument& argument : event.arguments)
    if (argument.name.text != kLeftOut && argument.name.text != kLeftOutNs) arguments.push_back(argument);
  if (arguments.size() + 2 > kMaxArguments) return entry;
  arguments.push_back({kLeftOut, missing.calls});
  arguments.push_back({kLeftOutNs, missing.time_ns});
  event.arguments = Arguments(std::move(arguments));
  return changed_;
}

}  // namespace fxt::tools
