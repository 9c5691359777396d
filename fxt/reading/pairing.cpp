// Tracks the open calls of each thread and async id.
#include "fxt/pairing.h"

#include <optional>
#include <variant>

#include "fxt/format.h"
#include "fxt/hash.h"

namespace fxt {
namespace {

struct Span {
  std::uint64_t start_ns, end_ns;
};

// Returns nothing if a time is impossible (see Reader::possible_ns()), or if the end is before the start.
std::optional<Span> span_of(const Event& event, const Reader& reader) {
  const auto start = reader.possible_ns(event.time);
  const auto end = event.type == EventType::DurationComplete ? reader.possible_ns(event.end) : start;
  if (!start || !end || *end < *start) return std::nullopt;
  return Span{.start_ns = *start, .end_ns = *end};
}

ThreadKey key_of(const Thread& thread) {
  return thread.storage == Storage::Missing ? ThreadKey{kUnregistered, thread.index}
                                            : ThreadKey{thread.process, thread.thread};
}

// Finds the call that an end event ends: the innermost call that began with a begin event. On the track of an
// async id, the call must also have the name of the end event.
std::vector<Call>::reverse_iterator ending_call(CallTrack& track, std::uint32_t name) {
  return std::find_if(track.calls.rbegin(), track.calls.rend(), [&](const Call& call) {
    return call.is_pair && (!track.is_async || call.name_index == name);
  });
}

// The depth of the innermost open call that may end after `end_ns`, where an outermost call has depth 1. 0 if
// no open call may end later.
std::size_t depth_of_later_end(const CallTrack& track, std::uint64_t end_ns) {
  std::size_t count = track.calls.size();
  while (count > 0 && !track.calls[count - 1].is_pair && track.calls[count - 1].end_ns <= end_ns)
    count = track.calls[count - 1].later_end_depth;
  return count;
}

}  // namespace

std::size_t CallNames::Hash::operator()(const View& view) const {
  const SeededHash hash;
  return hash(view.first) * 31 + hash(view.second);
}

std::uint32_t CallNames::find(const Event& event) {
  const auto known = indices_.find({event.category.text, event.name.text});
  if (known != indices_.end()) return known->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back({.category = std::string(event.category.text), .name = std::string(event.name.text)});
  const CallName& name = names_.back();
  indices_.emplace(View{name.category, name.name}, index);
  return index;
}

class Pairing::Function final : public CallListener {
 public:
  explicit Function(std::function<void(const Call&)> ended) : ended_(std::move(ended)) {}
  void ended(CallTrack&, const Call& call) override { ended_(call); }

 private:
  std::function<void(const Call&)> ended_;
};

Pairing::Pairing(std::function<void(const Call&)> ended, const PairingOptions& options)
    : options_(options),
      own_(std::make_unique<Function>(std::move(ended))),
      listener_(own_.get()),
      window_(options.range) {}
Pairing::Pairing(CallListener& listener, const PairingOptions& options)
    : options_(options), listener_(&listener), window_(options.range) {}
Pairing::~Pairing() = default;

void Pairing::know_start(const Entry& entry, const Reader& reader) {
  if (window_.start()) return;
  const auto time = time_of(entry.record);
  if (const auto ns = time ? reader.possible_ns(*time) : std::nullopt) window_.side_of(*ns);
}

bool Pairing::is_chosen(std::uint32_t name) {
  if (!options_.chooses) return true;
  if (name >= chosen_.size()) chosen_.resize(names_.size(), -1);
  if (chosen_[name] < 0) chosen_[name] = options_.chooses(names_[name]) ? 1 : 0;
  return chosen_[name] > 0;
}

CallTrack& Pairing::thread_of(const Thread& thread) {
  const ThreadKey key = key_of(thread);
  CallTrack*& recent = recent_[thread.index];
  if (recent != nullptr && recent->thread == key) return *recent;
  const auto [known, is_new] = threads_.try_emplace(key);
  if (is_new) {
    known->second.thread = key;
    known->second.index = tracks_++;
  }
  recent = &known->second;
  return *recent;
}

CallTrack& Pairing::track_of(const Event& event) {
  if (!is_async(event.type)) return thread_of(event.thread);
  const auto [known, is_new] = asyncs_.try_emplace(event.id);
  CallTrack& track = known->second;
  if (!is_new) return track;
  track.is_async = true;
  track.id = event.id;
  track.index = free_tracks_.empty() ? tracks_++ : free_tracks_.back();
  if (!free_tracks_.empty()) free_tracks_.pop_back();
  return track;
}

// Deletes the track of an async id when all its operations have ended, because a trace may have very many
// ids. Keeps tracks of threads.
void Pairing::forget_if_over(CallTrack& track) {
  if (!track.is_async || !track.calls.empty()) return;
  free_tracks_.push_back(track.index);
  asyncs_.erase(track.id);
}

bool Pairing::add(const Entry& entry, const Reader& reader) {
  know_start(entry, reader);
  const auto* const event = std::get_if<Event>(&entry.record);
  if (event == nullptr) return false;
  const bool is_wanted =
      is_duration(event->type) ? options_.durations : is_async(event->type) && options_.asyncs;
  if (!is_wanted) return false;
  const auto span = span_of(*event, reader);
  if (!span) {
    ++odd_.bad_times;
    return false;
  }
  CallTrack& track = track_of(*event);
  const std::uint32_t name = names_.index_of(*event);
  end_calls_before(track, span->start_ns);
  track.last_ns = span->start_ns;
  const bool is_pair = event->type == EventType::DurationBegin || event->type == EventType::AsyncBegin;
  if (!is_pair && event->type != EventType::DurationComplete) {
    const bool is_of_call = event->type != EventType::AsyncInstant && put_end(track, span->start_ns, name);
    forget_if_over(track);
    return is_of_call;
  }
  if (track.is_async) track.thread = key_of(event->thread);
  Call call{.number = calls_++,
            .depth = track.calls.size(),
            .names = &names_[name],
            .name_index = name,
            .is_pair = is_pair,
            .is_chosen = is_chosen(name),
            .start_ns = span->start_ns,
            .end_ns = span->end_ns};
  if (!track.calls.empty()) call.parent = track.calls.back().number;
  call.later_end_depth = is_pair ? track.calls.size() : depth_of_later_end(track, call.end_ns);
  track.awaiting += is_pair ? 1 : 0;
  if (track.is_async) ++operations_[{track.index, name}];
  track.chosen += call.is_chosen ? 1 : 0;
  track.calls.push_back(call);
  listener_->started(track, track.calls.back(), *event);
  const bool is_still_chosen = track.calls.back().is_chosen;
  if (call.is_chosen && !is_still_chosen) --track.chosen;
  if (!call.is_chosen && is_still_chosen) ++track.chosen;
  return is_still_chosen;
}

// Ends the call that an end event belongs to, and the open calls inside it. Inside a duration, only complete
// events can still be open. Inside an async operation, other operations can be open. They also end now, as in
// viewers.
bool Pairing::put_end(CallTrack& track, std::uint64_t time_ns, std::uint32_t name) {
  const bool may_match = track.is_async ? operations_.contains({track.index, name}) : track.awaiting != 0;
  const auto ending = may_match ? ending_call(track, name) : track.calls.rend();
  if (ending == track.calls.rend()) {
    if (is_chosen(name)) ++odd_.unmatched;
    return is_chosen(name);
  }
  ending->end_ns = time_ns;
  ending->is_ending = true;
  const bool was_chosen = ending->is_chosen;
  const auto around = static_cast<std::size_t>(track.calls.rend() - ending) - 1;
  while (track.calls.size() > around) {
    Call& inner = track.calls.back();
    if (inner.is_pair && !inner.is_ending) {
      inner.end_ns = time_ns;
      inner.has_end = false;
    }
    pop(track);
  }
  return was_chosen;
}

const CallTrack& Pairing::advance(const Thread& thread, std::uint64_t time_ns) {
  CallTrack& track = thread_of(thread);
  end_calls_before(track, time_ns);
  track.last_ns = time_ns;
  return track;
}

void Pairing::end_calls_before(CallTrack& track, std::uint64_t time_ns) {
  while (!track.calls.empty() && !track.calls.back().is_pair && track.calls.back().end_ns <= time_ns)
    pop(track);
}

void Pairing::pop(CallTrack& track) {
  const Call call = track.calls.back();
  track.calls.pop_back();
  if (call.is_pair) --track.awaiting;
  if (track.is_async)
    if (const auto open = operations_.find({track.index, call.name_index}); --open->second == 0)
      operations_.erase(open);
  if (call.is_chosen) --track.chosen;
  if (call.has_end && !track.calls.empty() && track.calls.back().knows_end() &&
      call.end_ns > track.calls.back().end_ns)
    ++odd_.crossing;
  const Part part = part_of(call);
  if (!part.is_empty) add_to_outer(track, part);
  listener_->ended(track, call);
}

// `part` is the part of an ended call that is in the range of time. Adds its length to the inner time of the
// outer call. If `part` ends after the outer call, the rest of its length goes to the next outer call.
void Pairing::add_to_outer(CallTrack& track, const Part& part) {
  std::uint64_t begin_ns = part.begin_ns;
  for (std::size_t around = track.calls.size(); around > 0 && begin_ns < part.end_ns;) {
    Call& outer = track.calls[around - 1];
    const std::uint64_t end_ns =
        outer.knows_end() ? std::clamp(outer.end_ns, begin_ns, part.end_ns) : part.end_ns;
    outer.inner_ns += end_ns - begin_ns;
    begin_ns = end_ns;
    around = outer.later_end_depth;
  }
}

void Pairing::end_all(CallTrack& track) {
  for (const Call& call : track.calls) track.last_ns = std::max(track.last_ns, call.end_ns);
  while (!track.calls.empty()) {
    Call& call = track.calls.back();
    call.has_end = !call.is_pair;
    if (call.is_pair) call.end_ns = track.last_ns;
    pop(track);
  }
}

void Pairing::finish() {
  for (auto& [key, track] : threads_) {
    end_all(track);
    track.calls.shrink_to_fit();
  }
  for (auto& [id, track] : asyncs_) end_all(track);
  asyncs_.clear();
}

}  // namespace fxt
