// Prints records as lines and as JSON. Both use one function that visits the fields of each kind. JSON is
// written directly, because building a JSON value for each record would take ten times as long.
#include "fxt/tools/record_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/ranges.h>
#include <span>
#include <string_view>
#include <variant>

#include "fxt/header_words.h"

namespace fxt::tools {
namespace {

// Types of values that are printed in a special way.
struct Hexadecimal {
  std::uint64_t number;
};
struct Word {
  std::string_view text;
};
struct Payload {
  std::span<const std::byte> bytes;
};

Word word_of(ThreadState state) {
  static constexpr std::array<std::string_view, 6> kNames = {"new",     "running", "suspended",
                                                             "blocked", "dying",   "dead"};
  return {code(state) < kNames.size() ? kNames.at(code(state)) : "unknown"};
}

// Calls print(mark, name, value) for each field of the record, in the order in which a line shows them. In a
// line, `mark` is printed before the value. In JSON, `name` is the name of the member. A value is a
// std::uint64_t, a std::string_view, a String, a Thread, Arguments, bytes, a span of addresses, or one of the
// types above.
template <typename Print>
struct FieldPrinter {
  using Number = std::uint64_t;
  Print print;

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
    if (has_id(r.type)) print(" id=", "id", r.id);
    if (r.scope) print(" scope=", "scope", *r.scope);
    print(" ", "arguments", r.arguments);
  }
  void operator()(const Blob& r) {
    print(" ", "name", r.name);
    print(" type=", "type", Number{code(r.type)});
    print(" ", "bytes", Payload{r.bytes});
  }
  void operator()(const UserspaceObject& r) {
    if (r.process.storage == Storage::Missing)
      print(" process=", "process", r.process);
    else
      print(" process=", "process", r.process.process);
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

// ---- Lines ----

constexpr std::size_t kMaxHexBytes = 32;

void append_hex(TextBuffer& out, std::span<const std::byte> bytes) {
  const auto shown = bytes.first(std::min(bytes.size(), kMaxHexBytes));
  for (const std::byte byte : shown) append(out, "{:02x}", std::to_integer<unsigned>(byte));
  if (shown.size() < bytes.size()) append_text(out, "...");
}

void append_reference(TextBuffer& out, const String& string) {
  string.storage == Storage::Missing ? append(out, "?{}", string.index) : append_quoted(out, string.text);
}

struct ValueWriter {
  TextBuffer& out;

  void operator()(std::monostate) const { append_text(out, "null"); }
  void operator()(std::int32_t value) const { append(out, "i32:{}", value); }
  void operator()(std::uint32_t value) const { append(out, "u32:{}", value); }
  void operator()(std::int64_t value) const { append(out, "i64:{}", value); }
  void operator()(std::uint64_t value) const { append(out, "u64:{}", value); }
  void operator()(double value) const { append(out, "f64:{}", value); }
  void operator()(const String& value) const { append_reference(out, value); }
  void operator()(Pointer value) const { append(out, "ptr:{:#x}", value.address); }
  void operator()(Koid value) const { append(out, "koid:{}", value.koid); }
  void operator()(bool value) const { append(out, "bool:{}", value); }
  void operator()(const Bytes& value) const {
    append(out, "blob:{}:", value.bytes.size());
    append_hex(out, value.bytes);
  }
  void operator()(const UnknownValue& value) const { append(out, "unknown-type-{}", value.type); }
};

// Prints each field with its mark before it.
struct LineWriter {
  TextBuffer& out;

  template <typename Value>
  void operator()(std::string_view mark, std::string_view, const Value& value) {
    append_text(out, mark);
    value_of(value);
  }
  void operator()(std::string_view mark, std::string_view, const Arguments& arguments) {
    for (const Argument& argument : arguments) {
      append_text(out, mark);
      append_argument(out, argument);
    }
  }
  void operator()(std::string_view mark, std::string_view, std::span<const std::uint64_t> frames) {
    for (const std::uint64_t frame : frames) append(out, "{}{:#x}", mark, frame);
  }

 private:
  void value_of(std::uint64_t number) { append_number(out, number); }
  void value_of(Hexadecimal number) { append(out, "{:#x}", number.number); }
  void value_of(std::string_view text) { append_quoted(out, text); }
  void value_of(Word word) { append_text(out, word.text); }
  void value_of(InstantScope scope) { append_scope(out, scope); }
  void value_of(const String& string) { append_reference(out, string); }
  void value_of(const Thread& thread) {
    if (thread.storage == Storage::Missing) return append(out, "?{}", thread.index);
    append_number(out, thread.process);
    out.push_back('/');
    append_number(out, thread.thread);
  }
  void value_of(std::span<const std::byte> bytes) { append_hex(out, bytes); }
  void value_of(Payload payload) {
    append(out, "size={} ", payload.bytes.size());
    append_hex(out, payload.bytes);
  }
};

// ---- JSON ----

struct JsonWriter {
  TextBuffer& out;

  template <typename Value>
  void operator()(std::string_view, std::string_view name, const Value& value) {
    append_text(out, ",\"");
    append_text(out, name);
    append_text(out, "\":");
    json_of(value);
  }

 private:
  void json_of(std::uint64_t number) { append_number(out, number); }
  void json_of(Hexadecimal number) { append_number(out, number.number); }
  void json_of(std::string_view text) { append_json_string(out, text); }
  void json_of(Word word) { append(out, "\"{}\"", word.text); }
  void json_of(InstantScope scope) {
    TextBuffer text;
    append_scope(text, scope);
    json_of(std::string_view(text.data(), text.size()));
  }
  void json_of(const String& string) {
    string.storage == Storage::Missing ? missing(string.index) : append_json_string(out, string.text);
  }
  void json_of(const Thread& thread) {
    if (thread.storage == Storage::Missing) return missing(thread.index);
    append_text(out, "{\"process\":");
    append_number(out, thread.process);
    append_text(out, ",\"thread\":");
    append_number(out, thread.thread);
    out.push_back('}');
  }
  void json_of(std::span<const std::byte> bytes) {
    out.push_back('"');
    for (const std::byte byte : bytes) append(out, "{:02x}", std::to_integer<unsigned>(byte));
    out.push_back('"');
  }
  void json_of(Payload payload) { json_of(payload.bytes); }
  void json_of(std::span<const std::uint64_t> frames) { append(out, "[{}]", fmt::join(frames, ",")); }
  void json_of(const Arguments& arguments) {
    out.push_back('[');
    const char* separator = "";
    for (const Argument& argument : arguments) {
      append_text(out, separator);
      append_text(out, "{\"name\":");
      json_of(argument.name);
      append_text(out, ",\"type\":\"");
      std::visit([this](const auto& value) { typed(value); }, argument.value);
      out.push_back('}');
      separator = ",";
    }
    out.push_back(']');
  }
  void missing(std::uint64_t index) { append(out, "{{\"missing\":{}}}", index); }

  void typed(std::monostate) { append_text(out, "null\",\"value\":null"); }
  void typed(std::int32_t value) { append(out, "i32\",\"value\":{}", value); }
  void typed(std::uint32_t value) { append(out, "u32\",\"value\":{}", value); }
  void typed(std::int64_t value) { append(out, "i64\",\"value\":{}", value); }
  void typed(std::uint64_t value) { append(out, "u64\",\"value\":{}", value); }
  void typed(double value) {
    if (std::isfinite(value))
      append(out, "f64\",\"value\":{}", value);
    else
      append(out, "f64\",\"value\":\"{}\"", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
  void typed(const String& value) {
    append_text(out, "string\",\"value\":");
    json_of(value);
  }
  void typed(Pointer value) { append(out, "pointer\",\"value\":{}", value.address); }
  void typed(Koid value) { append(out, "koid\",\"value\":{}", value.koid); }
  void typed(bool value) { append(out, "bool\",\"value\":{}", value); }
  void typed(const Bytes& value) {
    append_text(out, "blob\",\"value\":");
    json_of(value.bytes);
  }
  void typed(const UnknownValue& value) { append(out, "unknown\",\"value\":{}", value.type); }
};

}  // namespace

void append_scope(TextBuffer& out, InstantScope scope) {
  static constexpr std::array<std::string_view, 3> kNames = {"thread", "process", "global"};
  const auto number = static_cast<std::uint64_t>(scope);
  number < kNames.size() ? append_text(out, kNames.at(number)) : append_number(out, number);
}

void append_argument(TextBuffer& out, const Argument& argument) {
  append_reference(out, argument.name);
  out.push_back('=');
  std::visit(ValueWriter{out}, argument.value);
}

void append_line(TextBuffer& out, const Entry& entry) {
  append_text(out, kind_of(entry.record));
  std::visit(FieldPrinter<LineWriter>{LineWriter{out}}, entry.record);
  for (const Problem& problem : entry.problems) append(out, " ! {}", printable(describe(problem)));
}

void append_json(TextBuffer& out, const Entry& entry) {
  append_text(out, "{\"offset\":");
  append_number(out, entry.offset);
  append_text(out, ",\"kind\":\"");
  append_text(out, kind_of(entry.record));
  out.push_back('"');
  std::visit(FieldPrinter<JsonWriter>{JsonWriter{out}}, entry.record);
  if (!entry.problems.empty()) {
    const char* separator = ",\"problems\":[";
    for (const Problem& problem : entry.problems) {
      append_text(out, separator);
      append_json_string(out, describe(problem));
      separator = ",";
    }
    out.push_back(']');
  }
  out.push_back('}');
}

}  // namespace fxt::tools
