// The names of the kinds of records: first the event types, then the alternatives of the variant Record.
#include "fxt/records.h"

#include <array>

namespace fxt {
namespace {

using namespace std::string_view_literals;

constexpr std::array kEvents = {"instant"sv,    "counter"sv,     "begin"sv,         "end"sv,
                                "complete"sv,   "async-begin"sv, "async-instant"sv, "async-end"sv,
                                "flow-begin"sv, "flow-step"sv,   "flow-end"sv};

constexpr std::array kRecords = {"unknown"sv,
                                 "magic"sv,
                                 "provider-info"sv,
                                 "provider-section"sv,
                                 "provider-event"sv,
                                 "initialization"sv,
                                 "string"sv,
                                 "thread"sv,
                                 "event"sv,
                                 "blob"sv,
                                 "userspace-object"sv,
                                 "kernel-object"sv,
                                 "context-switch"sv,
                                 "thread-switch"sv,
                                 "wakeup"sv,
                                 "log"sv,
                                 "profiler-module"sv,
                                 "profiler-mmap"sv,
                                 "profiler-backtrace"sv,
                                 "large-blob"sv,
                                 "large-blob-plain"sv};
static_assert(kRecords.size() == std::variant_size_v<Record>);

}  // namespace

std::optional<std::uint64_t> time_of(const Record& record) {
  return std::visit(
      [](const auto& value) -> std::optional<std::uint64_t> {
        if constexpr (requires { value.time; }) return value.time;
        return std::nullopt;
      },
      record);
}

bool ends_before_it_begins(const Event& event) {
  return event.type == EventType::DurationComplete && event.end < event.time;
}

std::string_view kind_of(EventType type) { return kEvents.at(code(type)); }

std::string_view kind_of(const Record& record) {
  const auto* event = std::get_if<Event>(&record);
  return event != nullptr ? kind_of(event->type) : kRecords[record.index()];
}

std::span<const std::string_view> kinds() {
  static const auto kAll = [] {
    std::array<std::string_view, kEvents.size() + kRecords.size()> all;
    std::ranges::copy(kRecords, std::ranges::copy(kEvents, all.begin()).out);
    return all;
  }();
  return kAll;
}

}  // namespace fxt
