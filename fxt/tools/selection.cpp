// What each kind of record has to say about threads, times and names.
#include "fxt/tools/selection.h"

#include <algorithm>
#include <charconv>
#include <fnmatch.h>
#include <limits>
#include <stdexcept>

#include "fxt/tools/text_format.h"

namespace fxt::tools {
namespace {

// The parts of a record that selections ask for.
struct Facets {
  std::vector<std::uint64_t> threads;
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
        if constexpr (requires { value.thread.thread; }) facets.threads.push_back(value.thread.thread);
        if constexpr (requires { value.outgoing.thread; })
          facets.threads = {value.outgoing.thread, value.incoming.thread};
        if constexpr (requires { value.outgoing_thread; })
          facets.threads = {value.outgoing_thread, value.incoming_thread};
        if constexpr (requires { value.name.text; }) facets.name = &value.name;
        if constexpr (requires { value.category.text; }) facets.category = &value.category;
      },
      record);
  if (const auto* wakeup = std::get_if<ThreadWakeup>(&record)) facets.threads = {wakeup->thread};
  if (const auto* thread = std::get_if<ThreadRecord>(&record)) facets.threads = {thread->thread};
  if (const auto* object = std::get_if<KernelObject>(&record))
    if (object->type == KernelObjectType::Thread) facets.threads = {object->koid};
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

std::uint64_t parse_time(std::string_view text) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const std::uint64_t scale = unit.empty() || unit == "ns" ? 1
                              : unit == "us"               ? 1'000
                              : unit == "ms"               ? 1'000'000
                              : unit == "s"                ? 1'000'000'000
                                                           : 0;
  if (error != std::errc{} || scale == 0 || value > std::numeric_limits<std::uint64_t>::max() / scale)
    throw std::invalid_argument("not a time: '" + std::string(text) + "' (a number, with ns, us, ms or s)");
  return value * scale;
}

}  // namespace

bool Selection::contains(const Entry& entry, const Reader& reader) const {
  if (empty()) return true;
  if (!kinds.empty()) {
    const bool is_event = std::holds_alternative<Event>(entry.record);
    const auto kind = kind_of(entry.record);
    if (std::ranges::none_of(kinds, [&](const std::string& wanted) {
          return wanted == kind || (is_event && wanted == "event");
        }))
      return false;
  }
  const Facets facets = facets_of(entry.record);
  if (!threads.empty() && std::ranges::none_of(facets.threads, [&](std::uint64_t thread) {
        return std::ranges::find(threads, thread) != threads.end();
      }))
    return false;
  if (!names.empty() && !matches(names, facets.name)) return false;
  if (!categories.empty() && !matches(categories, facets.category)) return false;
  if (!from_ns && !to_ns) return true;
  if (!facets.time) return false;
  const auto begin = reader.to_ns(*facets.time);
  const auto end = facets.end ? reader.to_ns(*facets.end) : begin;
  if (!begin || !end) return false;
  return (!to_ns || *begin <= *to_ns) && (!from_ns || *end >= *from_ns);
}

void check_kinds(const std::vector<std::string>& wanted) {
  for (const std::string& kind : wanted) {
    if (std::ranges::find(kinds(), kind) != kinds().end()) continue;
    std::string known;
    for (const std::string_view word : kinds()) known += (known.empty() ? "" : ", ") + std::string(word);
    throw std::invalid_argument("no kind of record: '" + kind + "' (" + known + ")");
  }
}

void parse_time_range(const std::string& text, Selection& selection) {
  const std::size_t tilde = text.find('~');
  if (tilde == std::string::npos) throw std::invalid_argument("not a time range: '" + text + "' (A~B)");
  const std::string_view from = std::string_view(text).substr(0, tilde);
  const std::string_view to = std::string_view(text).substr(tilde + 1);
  if (!from.empty()) selection.from_ns = parse_time(from);
  if (!to.empty()) selection.to_ns = parse_time(to);
}

}  // namespace fxt::tools
