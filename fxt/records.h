// SPDX-License-Identifier: Apache-2.0
// The records of a trace as values: one struct for each kind, named as in the spec. The Writer writes them
// and the Reader returns them. Times are in ticks. A file from fxt::Writer has 10^9 ticks per second, so its
// ticks are ns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "fxt/format.h"
#include "fxt/value.h"

namespace FXT_API fxt {

// Spec: "Magic number record". The Writer begins each file with it.
struct Magic {
  friend bool operator==(const Magic&, const Magic&) = default;
};

// Spec: "Provider info metadata".
struct ProviderInfo {
  std::uint32_t id = 0;
  std::string_view name = {};  // at most 255 bytes
  friend bool operator==(const ProviderInfo&, const ProviderInfo&) = default;
};

// Spec: "Provider section metadata". The records after it come from this provider.
struct ProviderSection {
  std::uint32_t id = 0;
  friend bool operator==(const ProviderSection&, const ProviderSection&) = default;
};

// Spec: "Provider event metadata".
struct ProviderEvent {
  std::uint32_t id = 0;
  ProviderEventId event = ProviderEventId::BufferFull;
  friend bool operator==(const ProviderEvent&, const ProviderEvent&) = default;
};

// Spec: "Initialization record".
struct Initialization {
  std::uint64_t ticks_per_second = 0;
  friend bool operator==(const Initialization&, const Initialization&) = default;
};

// Spec: "String record". The Writer writes it automatically before the first use of a string.
struct StringRecord {
  std::uint16_t index = 0;
  std::string_view text = {};
  friend bool operator==(const StringRecord&, const StringRecord&) = default;
};

// Spec: "Thread record". The Writer writes it automatically before the first use of a thread.
struct ThreadRecord {
  std::uint8_t index = 0;
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  friend bool operator==(const ThreadRecord&, const ThreadRecord&) = default;
};

// Spec: "Event record", all eleven types.
struct Event {
  EventType type = EventType::Instant;
  std::uint64_t time = 0;  // must be below 2^63 ns in a record to write
  Thread thread = {};
  String category = {};
  String name = {};
  Arguments arguments = {};  // at most 15
  std::uint64_t id = 0;      // correlation id of counters, async events and flows; otherwise unused
  std::uint64_t end = 0;     // end time of duration complete events, not before `time`; otherwise unused
  std::optional<InstantScope> scope = {};  // only for instants; few instants have a scope
  friend bool operator==(const Event&, const Event&) = default;
};

// Spec: "BLOB record". A Blob to write may have any size: the Writer splits it into records of 32,000 bytes,
// which readers join again.
struct Blob {
  String name = {};
  BlobType type = BlobType::Data;
  std::span<const std::byte> bytes = {};
  friend bool operator==(const Blob& a, const Blob& b) {
    return a.name == b.name && a.type == b.type && Bytes{a.bytes} == Bytes{b.bytes};
  }
};

// Spec: "Userspace object record". Only Fuchsia's Rust reader and the Go and Python libraries read it.
struct UserspaceObject {
  Thread process = {};  // only the koid of the process is used; the record has no thread
  std::uint64_t pointer = 0;
  String name = {};
  Arguments arguments = {};
  friend bool operator==(const UserspaceObject& a, const UserspaceObject& b) {
    return a.process.process == b.process.process && a.pointer == b.pointer && a.name == b.name &&
           a.arguments == b.arguments;
  }
};

// Spec: "Kernel object record". It names a process, a thread or any other object with a koid.
struct KernelObject {
  KernelObjectType type = KernelObjectType::Process;  // any ZX_OBJ_TYPE_XXX
  std::uint64_t koid = 0;
  String name = {};
  Arguments arguments = {};  // a thread needs the argument "process" of type Koid
  friend bool operator==(const KernelObject&, const KernelObject&) = default;
};

// Spec: "Context switch record" (scheduling subtype 0). Thread 0 of process 0 is the idle thread. Perfetto
// also treats a thread of priority 0 as the idle thread, unless a kernel object names the thread.
struct LegacyContextSwitch {
  std::uint64_t time = 0;
  // If the number is above 255, the Writer writes a ContextSwitch instead, which has no priorities.
  std::uint16_t cpu = 0;
  ThreadState outgoing_state = ThreadState::New;
  Thread outgoing = {};
  Thread incoming = {};
  std::uint8_t outgoing_priority = 0;
  std::uint8_t incoming_priority = 0;
  friend bool operator==(const LegacyContextSwitch&, const LegacyContextSwitch&) = default;
};

// Spec: "Scheduling Record", type 1. It has no process koids.
struct ContextSwitch {
  std::uint64_t time = 0;
  std::uint16_t cpu = 0;  // must be at most 4095 in a record to write; Perfetto aborts at larger numbers
  ThreadState outgoing_state = ThreadState::New;
  std::uint64_t outgoing_thread = 0;
  std::uint64_t incoming_thread = 0;
  Arguments arguments = {};  // by convention `incoming_weight` and `outgoing_weight` of type Int32
  friend bool operator==(const ContextSwitch&, const ContextSwitch&) = default;
};

// Spec: "Scheduling Record", type 2.
struct ThreadWakeup {
  std::uint64_t time = 0;
  std::uint16_t cpu = 0;  // same limit as in ContextSwitch
  std::uint64_t thread = 0;
  Arguments arguments = {};  // by convention `weight` (Int32) and `waker` (Koid)
  friend bool operator==(const ThreadWakeup&, const ThreadWakeup&) = default;
};

// Spec: "Log record".
struct Log {
  std::uint64_t time = 0;
  Thread thread = {};
  std::string_view message = {};  // cut at 32,000 bytes when written
  friend bool operator==(const Log&, const Log&) = default;
};

// A profiler record. The spec lacks it, but Fuchsia's readers read it.
struct ProfilerModule {
  std::uint64_t time = 0;
  Thread thread = {};
  std::uint16_t module_id = 0;
  std::string_view name = {};                // cut at 255 bytes when written
  std::span<const std::byte> build_id = {};  // at most 255 bytes
  friend bool operator==(const ProfilerModule& a, const ProfilerModule& b) {
    return a.time == b.time && a.thread == b.thread && a.module_id == b.module_id && a.name == b.name &&
           Bytes{a.build_id} == Bytes{b.build_id};
  }
};

// A profiler record. The spec lacks it, but Fuchsia's readers read it.
struct ProfilerMmap {
  std::uint64_t time = 0;
  Thread thread = {};
  std::uint16_t module_id = 0;
  std::uint8_t flags = 0;  // 3 bits
  std::uint64_t start = 0;
  std::uint64_t range = 0;
  std::uint64_t vaddr = 0;
  friend bool operator==(const ProfilerMmap&, const ProfilerMmap&) = default;
};

// A profiler record. The spec lacks it, but Fuchsia's readers read it.
struct ProfilerBacktrace {
  std::uint64_t time = 0;
  Thread thread = {};
  std::uint32_t flags = 0;                     // 28 bits
  std::span<const std::uint64_t> frames = {};  // at most 255
  friend bool operator==(const ProfilerBacktrace& a, const ProfilerBacktrace& b) {
    return a.time == b.time && a.thread == b.thread && a.flags == b.flags &&
           std::ranges::equal(a.frames, b.frames);
  }
};

// Spec: "Large BLOB record", blob format 0.
struct LargeBlob {
  std::uint64_t time = 0;
  Thread thread = {};
  String category = {};
  String name = {};
  Arguments arguments = {};
  std::span<const std::byte> bytes = {};
  friend bool operator==(const LargeBlob& a, const LargeBlob& b) {
    return a.time == b.time && a.thread == b.thread && a.category == b.category && a.name == b.name &&
           a.arguments == b.arguments && Bytes{a.bytes} == Bytes{b.bytes};
  }
};

// Spec: "Large BLOB record", blob format 1.
struct LargeBlobWithoutMetadata {
  String category = {};
  String name = {};
  std::span<const std::byte> bytes = {};
  friend bool operator==(const LargeBlobWithoutMetadata& a, const LargeBlobWithoutMetadata& b) {
    return a.category == b.category && a.name == b.name && Bytes{a.bytes} == Bytes{b.bytes};
  }
};

// Returned by the Reader: a record of an unknown type or subtype, or a record that is too damaged to be
// decoded.
struct UnknownRecord {
  std::span<const std::uint64_t> words = {};  // including the header
  friend bool operator==(const UnknownRecord& a, const UnknownRecord& b) {
    return std::ranges::equal(a.words, b.words);
  }
};

// Any record.
using Record =
    std::variant<UnknownRecord, Magic, ProviderInfo, ProviderSection, ProviderEvent, Initialization,
                 StringRecord, ThreadRecord, Event, Blob, UserspaceObject, KernelObject, LegacyContextSwitch,
                 ContextSwitch, ThreadWakeup, Log, ProfilerModule, ProfilerMmap, ProfilerBacktrace, LargeBlob,
                 LargeBlobWithoutMetadata>;

// The time in ticks; nothing for records that have no time.
FXT_API std::optional<std::uint64_t> time_of(const Record& record);

// True for a complete event whose end is before its begin. Readers drop such an event.
FXT_API bool ends_before_it_begins(const Event& event);

// ---- One word for each kind of record, as fxt-dump prints it ----

// "instant", "kernel-object", "string", … The kind of an event depends on its type.
FXT_API std::string_view kind_of(const Record& record);
// The type must be one of the eleven event types.
FXT_API std::string_view kind_of(EventType type);

// All kinds.
FXT_API std::span<const std::string_view> kinds();

}  // namespace fxt
