#include "fxt/tools/selection.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <type_traits>
#include <utility>
#include <variant>

#include "fxt/format.h"
#include "fxt/records.h"

namespace fxt::tools {
namespace {

bool matches_any(const std::vector<std::string>& patterns, std::string_view text) {
  return std::ranges::any_of(patterns, [text = std::string(text)](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}
bool matches(const std::vector<std::string>& patterns, std::string_view text) {
  return patterns.empty() || matches_any(patterns, text);
}

// `string` is null if the record has no such string, for example no category. It then matches only if there
// are no patterns.
bool matches(const std::vector<std::string>& patterns, const String* string) {
  if (patterns.empty()) return true;
  return string != nullptr && string->storage != Storage::Missing && matches(patterns, string->text);
}

}  // namespace

bool Selection::has_thread(std::uint64_t thread) const {
  return threads.empty() || std::ranges::find(threads, thread) != threads.end();
}

bool Selection::has_names(std::string_view category, std::string_view name) const {
  return matches(names, name) && matches(categories, category) && !matches_any(excluded, name) &&
         !(no_sched && is_off_cpu(category, name));
}

bool Selection::has_kind(const Record& record) const {
  const bool is_event = std::holds_alternative<Event>(record);
  return kinds.empty() || std::ranges::any_of(kinds, [&, kind = kind_of(record)](const std::string& wanted) {
           return wanted == kind || (is_event && wanted == "event");
         });
}

bool Selection::contains(const Record& record) const {
  if (!has_kind(record)) return false;
  if (!threads.empty() &&
      std::ranges::none_of(threads_of(record), [&](std::uint64_t thread) { return has_thread(thread); }))
    return false;
  if (!selects_names()) return true;
  return std::visit(
      [&](const auto& value) {
        const String *name = nullptr, *category = nullptr;
        if constexpr (requires { value.name.text; }) name = &value.name;
        if constexpr (requires { value.category.text; }) category = &value.category;
        const bool is_off =
            no_sched && name != nullptr && category != nullptr && is_off_cpu(category->text, name->text);
        const bool is_excluded = is_off || (name != nullptr && matches_any(excluded, name->text));
        return matches(names, name) && matches(categories, category) && !is_excluded;
      },
      record);
}

bool RecordFilter::is_in_range(const Entry& entry, const Reader& reader) {
  if (!selection_.range) return true;
  const auto begin = time_of(entry.record, reader);
  auto end = begin;
  if (const auto* event = std::get_if<Event>(&entry.record);
      event != nullptr && event->type == EventType::DurationComplete)
    end = reader.to_ns(event->end);
  return begin && end && window_.side_of(*begin) != TimeWindow::Side::After &&
         window_.side_of(*end) != TimeWindow::Side::Before;
}

bool RecordFilter::contains(const Entry& entry, const Reader& reader) {
  return is_in_range(entry, reader) && selection_.contains(entry.record);
}

std::optional<std::uint64_t> time_of(const Record& record, const Reader& reader) {
  const auto ticks = fxt::time_of(record);
  return ticks ? reader.possible_ns(*ticks) : std::nullopt;
}

std::optional<RecordSpan> span_of(const Record& record, const Reader& reader) {
  if (const auto* const event = std::get_if<Event>(&record)) return span_of(*event, reader);
  const auto ns = time_of(record, reader);
  if (!ns) return std::nullopt;
  return RecordSpan{.begin_ns = *ns, .end_ns = *ns};
}

std::optional<RecordSpan> span_of(const Event& event, const Reader& reader) {
  const auto begin = reader.possible_ns(event.time);
  const auto end = event.type == EventType::DurationComplete ? reader.possible_ns(event.end) : begin;
  if (!begin || !end || *end < *begin) return std::nullopt;
  return RecordSpan{.begin_ns = *begin, .end_ns = *end};
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
    throw UsageError(
        fmt::format("--type: '{}' is not a kind of record; kinds are {}", kind, fmt::join(kinds(), ", ")));
  }
}

Option range_option(std::string help, std::optional<TimeRange>& range) {
  return {.name = "time-range",
          .letter = 'r',
          .argument = "A~B",
          .help = std::move(help),
          .value = each<TimeRange>([&range](const TimeRange& given) { range = given; })};
}

Option thread_option(std::string help, std::vector<std::uint64_t>& threads) {
  return {.name = "tid",
          .argument = "TID[,TID...]",
          .help = std::move(help),
          .value = each<ThreadIds>([&threads](const ThreadIds& given) {
            threads.insert(threads.end(), given.ids.begin(), given.ids.end());
          }),
          .may_repeat = true};
}

Option name_option(std::string help, std::vector<std::string>& patterns) {
  return {.name = "name",
          .letter = 'n',
          .argument = "PATTERN",
          .help = std::move(help),
          .value = store_in(patterns),
          .may_repeat = true};
}

Option category_option(std::vector<std::string>& patterns) {
  Option option = name_option("select events as --name does, but by category", patterns);
  option.name = "category";
  option.letter = 'c';
  return option;
}

Option exclude_option(std::vector<std::string>& patterns) {
  Option option =
      name_option("omit events with a name that matches this shell pattern; may be repeated", patterns);
  option.name = "exclude";
  option.letter = '\0';
  return option;
}

}  // namespace fxt::tools
