// The threads, times and names of each kind of record.
#include "fxt/tools/selection.h"

#include <algorithm>
#include <fnmatch.h>
#include <type_traits>
#include <utility>

#include "fxt/tools/record_text.h"

namespace fxt::tools {
namespace {

// The parts of a record that selections look at.
struct Facets {
  std::optional<std::uint64_t> time;
  std::optional<std::uint64_t> end;
  const String* name = nullptr;
  const String* category = nullptr;
};

Facets facets_of(const Record& record) {
  Facets facets;
  std::visit(
      [&facets]<typename T>(const T& value) {
        if constexpr (requires { value.time; }) facets.time = value.time;
        if constexpr (requires { value.name.text; }) facets.name = &value.name;
        if constexpr (requires { value.category.text; }) facets.category = &value.category;
      },
      record);
  const auto* event = std::get_if<Event>(&record);
  if (event != nullptr && event->type == EventType::DurationComplete) facets.end = event->end;
  return facets;
}

bool matches(const std::vector<std::string>& patterns, const String* string) {
  if (string == nullptr || string->storage == Storage::Missing) return false;
  const std::string text(string->text);
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return fnmatch(pattern.c_str(), text.c_str(), 0) == 0; });
}

// Whether the record overlaps the window. A record without a time does not.
bool overlaps(TimeWindow& window, const Facets& facets, const Reader& reader) {
  const auto begin = facets.time ? reader.to_ns(*facets.time) : std::nullopt;
  const auto end = facets.end ? reader.to_ns(*facets.end) : begin;
  return begin && end && window.side_of(*begin) != TimeWindow::Side::After &&
         window.side_of(*end) != TimeWindow::Side::Before;
}

}  // namespace

bool Selection::contains(const Entry& entry, const Reader& reader) {
  return (!window || overlaps(*window, facets_of(entry.record), reader)) && contains(entry.record);
}

bool Selection::contains(const Record& record) const {
  if (!kinds.empty()) {
    const bool is_event = std::holds_alternative<Event>(record);
    const auto kind = kind_of(record);
    if (std::ranges::none_of(kinds, [&](const std::string& wanted) {
          return wanted == kind || (is_event && wanted == "event");
        }))
      return false;
  }
  if (threads.empty() && names.empty() && categories.empty()) return true;
  if (!threads.empty() && std::ranges::none_of(threads_of(record), [&](std::uint64_t thread) {
        return std::ranges::find(threads, thread) != threads.end();
      }))
    return false;
  const Facets facets = facets_of(record);
  return (names.empty() || matches(names, facets.name)) &&
         (categories.empty() || matches(categories, facets.category));
}

std::vector<std::uint64_t> threads_of(const Record& record) {
  return std::visit(
      []<typename T>(const T& value) -> std::vector<std::uint64_t> {
        if constexpr (requires { value.thread.thread; }) return {value.thread.thread};
        if constexpr (requires { value.outgoing.thread; })
          return {value.outgoing.thread, value.incoming.thread};
        if constexpr (requires { value.outgoing_thread; })
          return {value.outgoing_thread, value.incoming_thread};
        if constexpr (std::is_same_v<T, ThreadWakeup> || std::is_same_v<T, ThreadRecord>)
          return {value.thread};
        if constexpr (std::is_same_v<T, KernelObject>)
          if (value.type == KernelObjectType::Thread) return {value.koid};
        return {};
      },
      record);
}

void check_kinds(const std::vector<std::string>& wanted) {
  for (const std::string& kind : wanted) {
    if (std::ranges::find(kinds(), kind) != kinds().end()) continue;
    std::string known;
    for (const std::string_view word : kinds()) known += (known.empty() ? "" : ", ") + std::string(word);
    throw UsageError("no kind of record: '" + kind + "' (" + known + ")");
  }
}

Option range_option(std::string help, std::function<void(const TimeRange&)> take) {
  return {
      .name = "time-range",
      .letter = 'r',
      .argument = "A~B",
      .help = std::move(help),
      .handle = [take = std::move(take)](std::string_view text) { take(parse_range("time-range", text)); }};
}

Option thread_option(std::string help, std::vector<std::uint64_t>& threads) {
  return {.name = "thread",
          .letter = 't',
          .argument = "KOID",
          .help = std::move(help),
          .handle = [&threads](std::string_view text) { threads.push_back(parse_count("thread", text)); },
          .may_repeat = true};
}

Option name_option(std::string help, std::vector<std::string>& patterns) {
  return {.name = "name",
          .letter = 'n',
          .argument = "PATTERN",
          .help = std::move(help),
          .handle = store_in(patterns),
          .may_repeat = true};
}

Option category_option(std::vector<std::string>& patterns) {
  Option option = name_option("the same for categories", patterns);
  option.name = "category";
  option.letter = 'c';
  return option;
}

}  // namespace fxt::tools
