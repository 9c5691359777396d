// One function per kind of record.
#include "fxt/tools/record_text.h"

#include <array>

#include "fxt/header_words.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kMaxHexBytes = 32;

// The size of the character at the start of `text`; 0 if it is not UTF-8.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size)
    if (is_valid_utf8(text.substr(0, size))) return size;
  return 0;
}

class LineWriter {
 public:
  explicit LineWriter(TextBuffer& out) : out_(out) {}

  void operator()(const Magic&) {}
  void operator()(const ProviderInfo& record) {
    append(out_, " id={} name=", record.id);
    append_quoted(out_, record.name);
  }
  void operator()(const ProviderSection& record) { append(out_, " id={}", record.id); }
  void operator()(const ProviderEvent& record) { append(out_, " id={} event=buffer-full", record.id); }
  void operator()(const Initialization& record) {
    append(out_, " ticks_per_second={}", record.ticks_per_second);
  }
  void operator()(const StringRecord& record) {
    append(out_, " {}=", record.index);
    append_quoted(out_, record.text);
  }
  void operator()(const ThreadRecord& record) {
    append(out_, " {}={}/{}", record.index, record.process, record.thread);
  }
  void operator()(const Event& record) {
    append(out_, " {}", record.time);
    if (record.type == EventType::DurationComplete) append(out_, "..{}", record.end);
    thread(record.thread);
    string(record.category);
    string(record.name);
    const bool has_id = record.type == EventType::Counter || record.type >= EventType::AsyncBegin;
    if (has_id) append(out_, " id={}", record.id);
    arguments(record.arguments);
  }
  void operator()(const Blob& record) {
    string(record.name);
    append(out_, " type={}", code(record.type));
    payload(record.bytes);
  }
  void operator()(const UserspaceObject& record) {
    if (record.process.storage == Storage::Missing) {
      append(out_, " process=?{}", record.process.index);
    } else {
      append(out_, " process={}", record.process.process);
    }
    append(out_, " pointer={:#x}", record.pointer);
    string(record.name);
    arguments(record.arguments);
  }
  void operator()(const KernelObject& record) {
    append(out_, " type={} koid={}", code(record.type), record.koid);
    string(record.name);
    arguments(record.arguments);
  }
  void operator()(const LegacyContextSwitch& record) {
    append(out_, " {} cpu={} out", record.time, record.cpu);
    thread(record.outgoing);
    append(out_, " state={} priority={} in", name_of(record.outgoing_state), record.outgoing_priority);
    thread(record.incoming);
    append(out_, " priority={}", record.incoming_priority);
  }
  void operator()(const ContextSwitch& record) {
    append(out_, " {} cpu={} out {} state={} in {}", record.time, record.cpu, record.outgoing_thread,
           name_of(record.outgoing_state), record.incoming_thread);
    arguments(record.arguments);
  }
  void operator()(const ThreadWakeup& record) {
    append(out_, " {} cpu={} {}", record.time, record.cpu, record.thread);
    arguments(record.arguments);
  }
  void operator()(const Log& record) {
    append(out_, " {}", record.time);
    thread(record.thread);
    append(out_, " ");
    append_quoted(out_, record.message);
  }
  void operator()(const ProfilerModule& record) {
    append(out_, " {}", record.time);
    thread(record.thread);
    append(out_, " id={} name=", record.module_id);
    append_quoted(out_, record.name);
    append(out_, " build_id=");
    append_hex(out_, record.build_id);
  }
  void operator()(const ProfilerMmap& record) {
    append(out_, " {}", record.time);
    thread(record.thread);
    append(out_, " id={} flags={} start={:#x} range={:#x} vaddr={:#x}", record.module_id, record.flags,
           record.start, record.range, record.vaddr);
  }
  void operator()(const ProfilerBacktrace& record) {
    append(out_, " {}", record.time);
    thread(record.thread);
    append(out_, " flags={}", record.flags);
    for (const std::uint64_t frame : record.frames) append(out_, " {:#x}", frame);
  }
  void operator()(const LargeBlob& record) {
    append(out_, " {}", record.time);
    thread(record.thread);
    string(record.category);
    string(record.name);
    arguments(record.arguments);
    payload(record.bytes);
  }
  void operator()(const LargeBlobWithoutMetadata& record) {
    string(record.category);
    string(record.name);
    payload(record.bytes);
  }
  void operator()(const UnknownRecord& record) {
    append(out_, " type={} words={} header={:#018x}", RecordHeader::Type::get(record.words[0]),
           record.words.size(), record.words[0]);
  }

 private:
  void string(const String& string) {
    append(out_, " ");
    append_string(string);
  }
  void append_string(const String& string) {
    if (string.storage == Storage::Missing) {
      append(out_, "?{}", string.index);
    } else {
      append_quoted(out_, string.text);
    }
  }
  void thread(const Thread& thread) {
    if (thread.storage == Storage::Missing) {
      append(out_, " ?{}", thread.index);
    } else {
      append(out_, " {}/{}", thread.process, thread.thread);
    }
  }
  void payload(std::span<const std::byte> bytes) {
    append(out_, " size={} ", bytes.size());
    append_hex(out_, bytes);
  }
  void arguments(const Arguments& arguments) {
    for (const Argument& argument : arguments) {
      append(out_, " ");
      append_string(argument.name);
      append(out_, "=");
      std::visit([this](const auto& value) { append_value(value); }, argument.value);
    }
  }
  void append_value(std::monostate) { append(out_, "null"); }
  void append_value(std::int32_t value) { append(out_, "i32:{}", value); }
  void append_value(std::uint32_t value) { append(out_, "u32:{}", value); }
  void append_value(std::int64_t value) { append(out_, "i64:{}", value); }
  void append_value(std::uint64_t value) { append(out_, "u64:{}", value); }
  void append_value(double value) { append(out_, "f64:{}", value); }
  void append_value(const String& value) { append_string(value); }
  void append_value(Pointer value) { append(out_, "ptr:{:#x}", value.address); }
  void append_value(Koid value) { append(out_, "koid:{}", value.koid); }
  void append_value(bool value) { append(out_, "bool:{}", value); }
  void append_value(const Bytes& value) {
    append(out_, "blob:{}:", value.bytes.size());
    append_hex(out_, value.bytes);
  }
  void append_value(const UnknownValue& value) { append(out_, "unknown-type-{}", value.type); }

  TextBuffer& out_;
};

}  // namespace

std::string_view name_of(ThreadState state) {
  static constexpr std::array kNames = {std::string_view("new"),       std::string_view("running"),
                                        std::string_view("suspended"), std::string_view("blocked"),
                                        std::string_view("dying"),     std::string_view("dead")};
  return code(state) < kNames.size() ? kNames.at(code(state)) : "unknown";
}

void append_quoted(TextBuffer& out, std::string_view text) {
  append(out, "\"");
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const char first = text.front();
    if (size == 0) {
      append(out, "\\x{:02x}", static_cast<unsigned char>(first));
    } else if (first == '"' || first == '\\') {
      append(out, "\\{}", first);
    } else if (first == '\n') {
      append(out, "\\n");
    } else if (first == '\r') {
      append(out, "\\r");
    } else if (first == '\t') {
      append(out, "\\t");
    } else if (size == 1 && (static_cast<unsigned char>(first) < 0x20 || first == 0x7f)) {
      append(out, "\\x{:02x}", static_cast<unsigned char>(first));
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  append(out, "\"");
}

void append_hex(TextBuffer& out, std::span<const std::byte> bytes) {
  const auto shown = bytes.first(std::min(bytes.size(), kMaxHexBytes));
  for (const std::byte byte : shown) append(out, "{:02x}", std::to_integer<unsigned>(byte));
  if (shown.size() < bytes.size()) append(out, "...");
}

void append_line(TextBuffer& out, const Entry& entry) {
  out.append(kind_of(entry.record));
  std::visit(LineWriter(out), entry.record);
  for (const Problem& problem : entry.problems) append(out, " ! {}", describe(problem));
}

}  // namespace fxt::tools
