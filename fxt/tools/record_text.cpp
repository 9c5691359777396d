#include "fxt/tools/record_text.h"

#include <algorithm>

#include "fxt/tools/record_fields.h"

namespace fxt::tools {
namespace {

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

// Prints fields behind their marks.
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
  void value_of(const String& string) { append_reference(out, string); }
  void value_of(const Thread& thread) {
    if (thread.storage == Storage::Missing) return append(out, "?{}", thread.index);
    append_number(out, thread.process);
    out.push_back('/');
    append_number(out, thread.thread);
  }
  void value_of(ProcessOf process) {
    const Thread& thread = process.thread;
    thread.storage == Storage::Missing ? append(out, "?{}", thread.index)
                                       : append_number(out, thread.process);
  }
  void value_of(std::span<const std::byte> bytes) { append_hex(out, bytes); }
  void value_of(Payload payload) {
    append(out, "size={} ", payload.bytes.size());
    append_hex(out, payload.bytes);
  }
};

}  // namespace

void append_argument(TextBuffer& out, const Argument& argument) {
  append_reference(out, argument.name);
  out.push_back('=');
  std::visit(ValueWriter{out}, argument.value);
}

void append_line(TextBuffer& out, const Entry& entry) {
  append_text(out, kind_of(entry.record));
  print_fields(entry.record, LineWriter{out});
  for (const Problem& problem : entry.problems) append(out, " ! {}", printable(describe(problem)));
}

}  // namespace fxt::tools
