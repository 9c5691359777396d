// Records as JSON, one object each, written as they are walked: a tree of values takes ten times as long.
#include <cmath>
#include <fmt/ranges.h>

#include "fxt/tools/record_fields.h"
#include "fxt/tools/record_text.h"

namespace fxt::tools {
namespace {

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
  void json_of(ProcessOf process) {
    const Thread& thread = process.thread;
    thread.storage == Storage::Missing ? missing(thread.index) : append_number(out, thread.process);
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

void append_json(TextBuffer& out, const Entry& entry) {
  append_text(out, "{\"offset\":");
  append_number(out, entry.offset);
  append_text(out, ",\"kind\":\"");
  append_text(out, kind_of(entry.record));
  out.push_back('"');
  print_fields(entry.record, JsonWriter{out});
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
