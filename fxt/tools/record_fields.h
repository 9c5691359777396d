// The fields of records, each in one place: what lines and JSON print of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "fxt/header_words.h"
#include "fxt/records.h"

namespace fxt::tools {

// Values that are printed otherwise than their type tells.
struct Hexadecimal {
  std::uint64_t number;
};
struct Word {
  std::string_view text;
};
struct ProcessOf {
  const Thread& thread;
};
struct Payload {
  std::span<const std::byte> bytes;
};

inline Word word_of(ThreadState state) {
  static constexpr std::array<std::string_view, 6> kNames = {"new",     "running", "suspended",
                                                             "blocked", "dying",   "dead"};
  return {code(state) < kNames.size() ? kNames.at(code(state)) : "unknown"};
}

// Calls print(mark, name, value) for each field of the record, in the order of its line: `mark` stands before
// the value in a line, `name` is the member in JSON. Values are std::uint64_t, std::string_view, String,
// Thread, Arguments, bytes, a span of addresses, or one of those above.
template <typename Print>
void print_fields(const Record& record, Print&& print) {
  using Number = std::uint64_t;
  struct Visitor {
    Print& print;

    void operator()(const Magic&) {}
    void operator()(const ProviderInfo& r) {
      print(" id=", "id", Number{r.id});
      print(" name=", "name", r.name);
    }
    void operator()(const ProviderSection& r) { print(" id=", "id", Number{r.id}); }
    void operator()(const ProviderEvent& r) {
      print(" id=", "id", Number{r.id});
      print(" event=", "event", Word{"buffer-full"});
    }
    void operator()(const Initialization& r) {
      print(" ticks_per_second=", "ticks_per_second", r.ticks_per_second);
    }
    void operator()(const StringRecord& r) {
      print(" ", "index", Number{r.index});
      print("=", "text", r.text);
    }
    void operator()(const ThreadRecord& r) {
      print(" ", "index", Number{r.index});
      print("=", "process", r.process);
      print("/", "thread", r.thread);
    }
    void operator()(const Event& r) {
      print(" ", "time", r.time);
      if (r.type == EventType::DurationComplete) print("..", "end", r.end);
      print(" ", "thread", r.thread);
      print(" ", "category", r.category);
      print(" ", "name", r.name);
      if (r.type == EventType::Counter || r.type >= EventType::AsyncBegin) print(" id=", "id", r.id);
      print(" ", "arguments", r.arguments);
    }
    void operator()(const Blob& r) {
      print(" ", "name", r.name);
      print(" type=", "type", Number{code(r.type)});
      print(" ", "bytes", Payload{r.bytes});
    }
    void operator()(const UserspaceObject& r) {
      print(" process=", "process", ProcessOf{r.process});
      print(" pointer=", "pointer", Hexadecimal{r.pointer});
      print(" ", "name", r.name);
      print(" ", "arguments", r.arguments);
    }
    void operator()(const KernelObject& r) {
      print(" type=", "type", Number{code(r.type)});
      print(" koid=", "koid", r.koid);
      print(" ", "name", r.name);
      print(" ", "arguments", r.arguments);
    }
    void operator()(const LegacyContextSwitch& r) {
      print(" ", "time", r.time);
      print(" cpu=", "cpu", Number{r.cpu});
      print(" out ", "outgoing", r.outgoing);
      print(" state=", "outgoing_state", word_of(r.outgoing_state));
      print(" priority=", "outgoing_priority", Number{r.outgoing_priority});
      print(" in ", "incoming", r.incoming);
      print(" priority=", "incoming_priority", Number{r.incoming_priority});
    }
    void operator()(const ContextSwitch& r) {
      print(" ", "time", r.time);
      print(" cpu=", "cpu", Number{r.cpu});
      print(" out ", "outgoing_thread", r.outgoing_thread);
      print(" state=", "outgoing_state", word_of(r.outgoing_state));
      print(" in ", "incoming_thread", r.incoming_thread);
      print(" ", "arguments", r.arguments);
    }
    void operator()(const ThreadWakeup& r) {
      print(" ", "time", r.time);
      print(" cpu=", "cpu", Number{r.cpu});
      print(" ", "thread", r.thread);
      print(" ", "arguments", r.arguments);
    }
    void operator()(const Log& r) {
      print(" ", "time", r.time);
      print(" ", "thread", r.thread);
      print(" ", "message", r.message);
    }
    void operator()(const ProfilerModule& r) {
      print(" ", "time", r.time);
      print(" ", "thread", r.thread);
      print(" id=", "module_id", Number{r.module_id});
      print(" name=", "name", r.name);
      print(" build_id=", "build_id", r.build_id);
    }
    void operator()(const ProfilerMmap& r) {
      print(" ", "time", r.time);
      print(" ", "thread", r.thread);
      print(" id=", "module_id", Number{r.module_id});
      print(" flags=", "flags", Number{r.flags});
      print(" start=", "start", Hexadecimal{r.start});
      print(" range=", "range", Hexadecimal{r.range});
      print(" vaddr=", "vaddr", Hexadecimal{r.vaddr});
    }
    void operator()(const ProfilerBacktrace& r) {
      print(" ", "time", r.time);
      print(" ", "thread", r.thread);
      print(" flags=", "flags", Number{r.flags});
      print(" ", "frames", r.frames);
    }
    void operator()(const LargeBlob& r) {
      print(" ", "time", r.time);
      print(" ", "thread", r.thread);
      print(" ", "category", r.category);
      print(" ", "name", r.name);
      print(" ", "arguments", r.arguments);
      print(" ", "bytes", Payload{r.bytes});
    }
    void operator()(const LargeBlobWithoutMetadata& r) {
      print(" ", "category", r.category);
      print(" ", "name", r.name);
      print(" ", "bytes", Payload{r.bytes});
    }
    void operator()(const UnknownRecord& r) {
      print(" type=", "type", Number{RecordHeader::Type::get(r.words[0])});
      print(" words=", "words", Number{r.words.size()});
      print(" header=", "header", Hexadecimal{r.words[0]});
    }
  };
  std::visit(Visitor{print}, record);
}

}  // namespace fxt::tools
