// Equality of values and records that borrow, and the words for their kinds.
#include "fxt/records.h"

#include <algorithm>
#include <array>

namespace fxt {

bool operator==(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.bytes, b.bytes); }

bool operator==(const UnknownValue& a, const UnknownValue& b) {
  return a.type == b.type && a.header_data == b.header_data && std::ranges::equal(a.words, b.words);
}

bool operator==(const Arguments& a, const Arguments& b) { return std::ranges::equal(a.list_, b.list_); }

bool operator==(const ProfilerBacktrace& a, const ProfilerBacktrace& b) {
  return a.time == b.time && a.thread == b.thread && a.flags == b.flags &&
         std::ranges::equal(a.frames, b.frames);
}

bool operator==(const UnknownRecord& a, const UnknownRecord& b) {
  return std::ranges::equal(a.words, b.words);
}

// ---- The words for kinds of records: those of events, by their types; then the others, in the order of
// Record ----
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
