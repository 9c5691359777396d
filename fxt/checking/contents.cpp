// The kinds of content of traces, and how each reader uses them.
#include "fxt/contents.h"

#include <type_traits>
#include <variant>

namespace fxt {
namespace {

// The text for a reader starts with this word if the reader loses the content.
constexpr std::string_view kIgnored = "ignored";

using enum Content;

constexpr std::array<ContentUse, kContents> kUses{{
    {Durations, "durations", "begin, end, complete", {"shown", "shown", "read", "read"}},
    {Instants, "instants", "instant", {"shown", "shown as messages", "read", "read"}},
    {ArgumentsOfInstants, "arguments of instants", "", {"shown", "ignored", "read", "read"}},
    {ScopesOfInstants,
     "scopes of instants",
     "",
     {"ignored: instants are shown on their threads", "ignored: instants are shown on their threads", "read",
      "ignored"}},
    {Counters, "counters", "counter", {"shown", "shown", "read", "read"}},
    {AsyncOperations,
     "async operations",
     "async-begin, async-instant, async-end",
     {"shown", "ignored", "read", "read"}},
    {Flows, "flows", "flow-begin, flow-step, flow-end", {"shown", "ignored", "read", "read"}},
    {Categories, "categories of events", "", {"shown", "ignored", "read", "read"}},
    {ProcessNames, "names of processes", "kernel-object", {"shown", "ignored", "read", "read"}},
    {ThreadNames, "names of threads", "kernel-object", {"shown", "shown", "read", "read"}},
    {OtherObjects, "other kernel objects", "kernel-object", {"ignored", "ignored", "read", "read"}},
    {UserspaceObjects,
     "userspace objects",
     "userspace-object",
     {"ignored", "ignored", "ignored, with an error", "read"}},
    {Scheduling,
     "context switches and wakeups",
     "context-switch, thread-switch, wakeup",
     {"shown", "ignored", "read", "read"}},
    {Logs, "log messages", "log", {"ignored", "ignored", "read", "read"}},
    {PerfettoBlobs, "blobs of Perfetto's packets", "blob", {"imported", "ignored", "read", "read"}},
    {OtherBlobs, "other blobs", "blob", {"ignored", "ignored", "read", "read"}},
    {LargeBlobs, "large blobs", "large-blob, large-blob-plain", {"ignored", "ignored", "read", "read"}},
    {ProfilerRecords,
     "profiler records",
     "profiler-module, profiler-mmap, profiler-backtrace",
     {"ignored", "ignored", "read", "read"}},
    {ProviderEvents, "notes of lost records", "provider-event", {"ignored", "ignored", "read", "read"}},
    {UnknownRecords,
     "records of unknown types",
     "unknown",
     {"ignored", "ignored", "ignored, with an error", "ignored"}},
}};
static_assert([] {
  for (std::size_t i = 0; i < kContents; ++i)
    if (kUses[i].content != static_cast<Content>(i)) return false;
  return true;
}());

Content content_of_event(EventType type) {
  if (type == EventType::Instant) return Instants;
  if (type == EventType::Counter) return Counters;
  if (is_async(type)) return AsyncOperations;
  return is_flow(type) ? Flows : Durations;
}

Content content_of_object(KernelObjectType type) {
  if (type == KernelObjectType::Process) return ProcessNames;
  return type == KernelObjectType::Thread ? ThreadNames : OtherObjects;
}

}  // namespace

std::span<const ContentUse> content_uses() { return kUses; }

KnownReaders readers_that_ignore(Content content) {
  KnownReaders readers;
  const ContentUse& use = kUses.at(static_cast<std::size_t>(content));
  for (std::size_t reader = 0; reader < use.uses.size(); ++reader)
    if (use.uses.at(reader).starts_with(kIgnored))
      readers = readers | KnownReaders{static_cast<KnownReader>(reader)};
  return readers;
}

std::optional<Content> content_of(const Record& record) {
  return std::visit(
      [](const auto& value) -> std::optional<Content> {
        using T = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Event>) return content_of_event(value.type);
        if constexpr (std::is_same_v<T, KernelObject>) return content_of_object(value.type);
        if constexpr (std::is_same_v<T, Blob>)
          return value.type == BlobType::Perfetto ? PerfettoBlobs : OtherBlobs;
        if constexpr (std::is_same_v<T, UserspaceObject>) return UserspaceObjects;
        if constexpr (std::is_same_v<T, LegacyContextSwitch> || std::is_same_v<T, ContextSwitch> ||
                      std::is_same_v<T, ThreadWakeup>)
          return Scheduling;
        if constexpr (std::is_same_v<T, Log>) return Logs;
        if constexpr (std::is_same_v<T, LargeBlob> || std::is_same_v<T, LargeBlobWithoutMetadata>)
          return LargeBlobs;
        if constexpr (std::is_same_v<T, ProfilerModule> || std::is_same_v<T, ProfilerMmap> ||
                      std::is_same_v<T, ProfilerBacktrace>)
          return ProfilerRecords;
        if constexpr (std::is_same_v<T, ProviderEvent>) return ProviderEvents;
        if constexpr (std::is_same_v<T, UnknownRecord>) return UnknownRecords;
        return std::nullopt;
      },
      record);
}

}  // namespace fxt
