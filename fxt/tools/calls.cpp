#include "fxt/tools/calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <variant>

namespace fxt::tools {

namespace {

std::string named(const std::map<std::uint64_t, std::string>& names, std::uint64_t koid,
                  std::string_view nameless) {
  const auto name = names.find(koid);
  return fmt::format("{} {}", name == names.end() ? nameless : name->second, koid);
}

}  // namespace

std::string numbers_of(const ThreadKey& key) {
  return key.first == kUnregistered ? fmt::format("?{}", key.second)
                                    : fmt::format("{}/{}", key.first, key.second);
}

void ObjectNames::add(const Record& record) {
  const auto* const object = std::get_if<KernelObject>(&record);
  if (object == nullptr) return;
  if (object->type == KernelObjectType::Process) processes[object->koid] = object->name.text;
  if (object->type == KernelObjectType::Thread) threads[object->koid] = object->name.text;
}

std::string ObjectNames::text_of_process(std::uint64_t koid) const {
  return koid == kUnregistered ? "?" : named(processes, koid, "process");
}

std::string ObjectNames::text_of_thread(std::uint64_t koid) const { return named(threads, koid, "thread"); }

std::string ObjectNames::text_of(const ThreadKey& key) const {
  if (key.first == kUnregistered) return numbers_of(key);
  return text_of_process(key.first) + " / " + text_of_thread(key.second);
}

std::uint32_t CallNames::find(const Event& event) {
  const auto known = indices_.find({event.category.text, event.name.text});
  if (known != indices_.end()) return known->second;
  const auto index = static_cast<std::uint32_t>(names_.size());
  names_.push_back({.category = std::string(event.category.text), .name = std::string(event.name.text)});
  const Name& name = names_.back();
  indices_.emplace(View{name.category, name.name}, index);
  return index;
}

CallStream::CallStream(const Selection& selection, Listener& listener)
    : selection_(selection),
      listener_(&listener),
      window_(selection.range.value_or(TimeRange{})),
      takes_calls_(selection.kinds.empty() || std::ranges::any_of(selection.kinds, [](const auto& kind) {
                     return kind == "event" || kind == "begin" || kind == "end" || kind == "complete";
                   })) {}

bool CallStream::is_chosen(std::uint32_t name) {
  if (name >= chosen_.size()) chosen_.resize(names_.size(), -1);
  if (chosen_[name] < 0)
    chosen_[name] = takes_calls_ && selection_.has_names(names_[name].category, names_[name].name) ? 1 : 0;
  return chosen_[name] > 0;
}

CallThread& CallStream::thread_of(const Thread& thread) {
  const ThreadKey key = thread.storage == Storage::Missing ? ThreadKey{kUnregistered, thread.index}
                                                           : ThreadKey{thread.process, thread.thread};
  CallThread*& recent = recent_[thread.index];
  if (recent == nullptr || recent->key != key) {
    const auto index = static_cast<std::uint32_t>(threads_.size());
    recent = &threads_.try_emplace(key, CallThread{.key = key, .index = index}).first->second;
  }
  return *recent;
}

bool CallStream::add(const Entry& entry, const Reader& reader) {
  const auto* const event = std::get_if<Event>(&entry.record);
  if (!window_.start())
    if (const auto ns = time_of(entry.record, reader)) window_.side_of(*ns);
  if (event == nullptr) {
    objects_.add(entry.record);
    return false;
  }
  const bool is_complete = event->type == EventType::DurationComplete;
  const bool is_begin = event->type == EventType::DurationBegin;
  if (!is_complete && !is_begin && event->type != EventType::DurationEnd) return false;
  if (!selection_.has_thread(event->thread.thread)) return false;
  const auto span = span_of(*event, reader);
  if (!span) {
    ++odd_.bad_times;
    return false;
  }
  CallThread& thread = thread_of(event->thread);
  const std::uint32_t name = names_.index_of(*event);
  end_calls_before(thread, span->begin_ns);
  thread.last_ns = span->begin_ns;
  if (!is_complete && !is_begin) return put_end(thread, span->begin_ns, name);
  OpenCall call{.name = name, .awaits_end = is_begin, .begin_ns = span->begin_ns, .end_ns = span->end_ns};
  call.is_chosen = is_chosen(name);
  call.outlasting = is_begin ? thread.calls.size() : outlasting(thread, call.end_ns);
  thread.awaiting += is_begin ? 1 : 0;
  thread.chosen += call.is_chosen ? 1 : 0;
  thread.calls.push_back(call);
  listener_->began(thread, thread.calls.back(), *event);
  return call.is_chosen;
}

// Ends the innermost call that awaits its end, and those inside it.
bool CallStream::put_end(CallThread& thread, std::uint64_t time_ns, std::uint32_t name) {
  if (thread.awaiting == 0) {
    ++odd_.unmatched;
    return is_chosen(name);
  }
  const auto ending =
      std::ranges::find(thread.calls.rbegin(), thread.calls.rend(), true, &OpenCall::awaits_end);
  ending->end_ns = time_ns;
  ending->is_ending = true;
  const bool was_chosen = ending->is_chosen;
  while (!thread.calls.back().awaits_end) pop(thread);
  pop(thread);
  return was_chosen;
}

const CallThread& CallStream::advance(const Thread& thread, std::uint64_t time_ns) {
  CallThread& calls = thread_of(thread);
  end_calls_before(calls, time_ns);
  calls.last_ns = time_ns;
  return calls;
}

void CallStream::end_calls_before(CallThread& thread, std::uint64_t time_ns) {
  while (!thread.calls.empty() && !thread.calls.back().awaits_end && thread.calls.back().end_ns <= time_ns)
    pop(thread);
}

// The open calls up to the innermost that ends later.
std::size_t CallStream::outlasting(const CallThread& thread, std::uint64_t end_ns) {
  std::size_t count = thread.calls.size();
  while (count > 0 && !thread.calls[count - 1].awaits_end && thread.calls[count - 1].end_ns <= end_ns)
    count = thread.calls[count - 1].outlasting;
  return count;
}

void CallStream::pop(CallThread& thread) {
  const OpenCall call = thread.calls.back();
  thread.calls.pop_back();
  if (call.awaits_end) --thread.awaiting;
  if (call.is_chosen) --thread.chosen;
  if (call.has_end && !thread.calls.empty() && thread.calls.back().knows_end() &&
      call.end_ns > thread.calls.back().end_ns)
    ++odd_.crossing;
  const Part part = part_of(call);
  if (!part.is_empty) add_to_outer(thread, part);
  listener_->ended(thread, call);
}

// To the call around it. What lies behind the end of that one belongs to the next outer one.
void CallStream::add_to_outer(CallThread& thread, const Part& part) {
  std::uint64_t begin_ns = part.begin_ns;
  for (std::size_t around = thread.calls.size(); around > 0 && begin_ns < part.end_ns;) {
    OpenCall& outer = thread.calls[around - 1];
    const std::uint64_t end_ns =
        outer.knows_end() ? std::clamp(outer.end_ns, begin_ns, part.end_ns) : part.end_ns;
    outer.inner_ns += end_ns - begin_ns;
    begin_ns = end_ns;
    around = outer.outlasting;
  }
}

std::vector<std::string> CallStream::notes() const {
  std::vector<std::string> lines;
  const auto add = [&lines](std::uint64_t count, std::string_view what) {
    if (count != 0) lines.push_back(fmt::format("{} {}", count, what));
  };
  add(odd_.unmatched, "ends have no begin");
  add(odd_.crossing, "calls end after the call that they begin in");
  add(odd_.bad_times, "events belong to no call: their times are impossible");
  return lines;
}

void CallStream::finish() {
  for (auto& [key, thread] : threads_) {
    for (const OpenCall& call : thread.calls) thread.last_ns = std::max(thread.last_ns, call.end_ns);
    while (!thread.calls.empty()) {
      OpenCall& call = thread.calls.back();
      call.has_end = !call.awaits_end;
      if (call.awaits_end) call.end_ns = thread.last_ns;
      pop(thread);
    }
  }
}

}  // namespace fxt::tools
