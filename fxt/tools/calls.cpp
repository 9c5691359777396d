#include "fxt/tools/calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
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

namespace {

PairingOptions options_of(const Selection& selection, bool asyncs) {
  const bool takes_calls =
      selection.kinds.empty() || std::ranges::any_of(selection.kinds, [](const std::string& kind) {
        return kind == "event" || kind == "begin" || kind == "end" || kind == "complete";
      });
  return {.asyncs = asyncs,
          .range = selection.range.value_or(TimeRange{}),
          .chooses = [selection, takes_calls](const CallName& name) {
            return takes_calls && selection.has_names(name.category, name.name);
          }};
}

}  // namespace

CallStream::CallStream(const Selection& selection, CallListener& listener, Kinds kinds)
    : Pairing(listener, options_of(selection, kinds == Kinds::DurationsAndAsyncs)), selection_(selection) {}

bool CallStream::add(const Entry& entry, const Reader& reader) {
  objects_.add(entry.record);
  const auto* const event = std::get_if<Event>(&entry.record);
  // An async operation of a selected thread may end on another thread, so async events of all threads are
  // added.
  if (event != nullptr && (is_async(event->type) || selection_.has_thread(event->thread.thread)))
    return Pairing::add(entry, reader);
  know_start(entry, reader);
  return false;
}

std::vector<std::string> CallStream::notes() const {
  std::vector<std::string> lines;
  const auto add = [&lines](std::uint64_t count, std::string_view what) {
    if (count != 0) lines.push_back(fmt::format("{} {}", count, what));
  };
  add(odd().unmatched, "ends have no start");
  add(odd().crossing, "calls end after the call in which they start");
  add(odd().bad_times, "events are not part of any call, because their times are impossible");
  return lines;
}

}  // namespace fxt::tools
