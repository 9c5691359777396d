// Members in the order of the spec's words.
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "fxt/header_words.h"
#include "fxt/tools/record_text.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string hex_of(std::span<const std::byte> bytes) {
  TextBuffer hex;
  for (const std::byte byte : bytes)
    fmt::format_to(std::back_inserter(hex), "{:02x}", std::to_integer<unsigned>(byte));
  return fmt::to_string(hex);
}

Json json_of(const String& string) {
  if (string.storage == Storage::Missing) return Json{{"missing", string.index}};
  return make_valid_utf8(string.text);
}

Json json_of(const Thread& thread) {
  if (thread.storage == Storage::Missing) return Json{{"missing", thread.index}};
  return Json{{"process", thread.process}, {"thread", thread.thread}};
}

struct TypedValue {
  std::string type;
  Json value;
};

TypedValue typed(std::monostate) { return {"null", nullptr}; }
TypedValue typed(std::int32_t value) { return {"i32", value}; }
TypedValue typed(std::uint32_t value) { return {"u32", value}; }
TypedValue typed(std::int64_t value) { return {"i64", value}; }
TypedValue typed(std::uint64_t value) { return {"u64", value}; }
TypedValue typed(double value) {
  if (std::isfinite(value)) return {"f64", value};
  return {"f64", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"};
}
TypedValue typed(const String& value) { return {"string", json_of(value)}; }
TypedValue typed(Pointer value) { return {"pointer", value.address}; }
TypedValue typed(Koid value) { return {"koid", value.koid}; }
TypedValue typed(bool value) { return {"bool", value}; }
TypedValue typed(const Bytes& value) { return {"blob", hex_of(value.bytes)}; }
TypedValue typed(const UnknownValue& value) { return {"unknown", value.type}; }

Json json_of(const Arguments& arguments) {
  Json list = Json::array();
  for (const Argument& argument : arguments) {
    TypedValue value = std::visit([](const auto& held) { return typed(held); }, argument.value);
    list.push_back(Json{{"name", json_of(argument.name)},
                        {"type", std::move(value.type)},
                        {"value", std::move(value.value)}});
  }
  return list;
}

// The members that records share by name; each kind adds what is its own.
template <typename T>
void add_common(Json& json, const T& record) {
  if constexpr (requires { record.time; }) json["time"] = record.time;
  if constexpr (std::is_same_v<T, Event>)
    if (record.type == EventType::DurationComplete) json["end"] = record.end;
  if constexpr (requires { record.cpu; }) json["cpu"] = record.cpu;
  if constexpr (requires { record.koid; }) json["koid"] = record.koid;
  if constexpr (requires { record.pointer; }) json["pointer"] = record.pointer;
  if constexpr (requires { record.thread.storage; }) json["thread"] = json_of(record.thread);
  if constexpr (requires { record.process.storage; }) {
    if (record.process.storage == Storage::Missing) {
      json["process"] = json_of(record.process);
    } else {
      json["process"] = record.process.process;
    }
  }
  if constexpr (requires { record.category; }) json["category"] = json_of(record.category);
  if constexpr (requires { record.name.storage; }) json["name"] = json_of(record.name);
}

struct OwnMembers {
  Json& json;

  void operator()(const Magic&) const {}
  void operator()(const ProviderInfo& record) const {
    json["id"] = record.id;
    json["name"] = make_valid_utf8(record.name);
  }
  void operator()(const ProviderSection& record) const { json["id"] = record.id; }
  void operator()(const ProviderEvent& record) const {
    json["id"] = record.id;
    json["event"] = "buffer-full";
  }
  void operator()(const Initialization& record) const { json["ticks_per_second"] = record.ticks_per_second; }
  void operator()(const StringRecord& record) const {
    json["index"] = record.index;
    json["text"] = make_valid_utf8(record.text);
  }
  void operator()(const ThreadRecord& record) const {
    json["index"] = record.index;
    json["process"] = record.process;
    json["thread"] = record.thread;
  }
  void operator()(const Event& record) const {
    if (record.type == EventType::Counter || record.type >= EventType::AsyncBegin) json["id"] = record.id;
    json["arguments"] = json_of(record.arguments);
  }
  void operator()(const Blob& record) const {
    json["type"] = code(record.type);
    json["bytes"] = hex_of(record.bytes);
  }
  void operator()(const UserspaceObject& record) const { json["arguments"] = json_of(record.arguments); }
  void operator()(const KernelObject& record) const {
    json["type"] = code(record.type);
    json["arguments"] = json_of(record.arguments);
  }
  void operator()(const LegacyContextSwitch& record) const {
    json["outgoing"] = json_of(record.outgoing);
    json["outgoing_state"] = name_of(record.outgoing_state);
    json["outgoing_priority"] = record.outgoing_priority;
    json["incoming"] = json_of(record.incoming);
    json["incoming_priority"] = record.incoming_priority;
  }
  void operator()(const ContextSwitch& record) const {
    json["outgoing_thread"] = record.outgoing_thread;
    json["outgoing_state"] = name_of(record.outgoing_state);
    json["incoming_thread"] = record.incoming_thread;
    json["arguments"] = json_of(record.arguments);
  }
  void operator()(const ThreadWakeup& record) const {
    json["thread"] = record.thread;
    json["arguments"] = json_of(record.arguments);
  }
  void operator()(const Log& record) const { json["message"] = make_valid_utf8(record.message); }
  void operator()(const ProfilerModule& record) const {
    json["module_id"] = record.module_id;
    json["name"] = make_valid_utf8(record.name);
    json["build_id"] = hex_of(record.build_id);
  }
  void operator()(const ProfilerMmap& record) const {
    json["module_id"] = record.module_id;
    json["flags"] = record.flags;
    json["start"] = record.start;
    json["range"] = record.range;
    json["vaddr"] = record.vaddr;
  }
  void operator()(const ProfilerBacktrace& record) const {
    json["flags"] = record.flags;
    json["frames"] = std::vector<std::uint64_t>(record.frames.begin(), record.frames.end());
  }
  void operator()(const LargeBlob& record) const {
    json["arguments"] = json_of(record.arguments);
    json["bytes"] = hex_of(record.bytes);
  }
  void operator()(const LargeBlobWithoutMetadata& record) const { json["bytes"] = hex_of(record.bytes); }
  void operator()(const UnknownRecord& record) const {
    json["type"] = RecordHeader::Type::get(record.words[0]);
    json["words"] = record.words.size();
  }
};

}  // namespace

void append_json(TextBuffer& out, const Entry& entry) {
  Json json;
  json["offset"] = entry.offset;
  json["kind"] = kind_of(entry.record);
  std::visit(
      [&json](const auto& record) {
        add_common(json, record);
        OwnMembers{json}(record);
      },
      entry.record);
  if (!entry.problems.empty()) {
    Json problems = Json::array();
    for (const Problem& problem : entry.problems) problems.push_back(describe(problem));
    json["problems"] = std::move(problems);
  }
  const std::string text = json.dump();
  out.append(text);
}

}  // namespace fxt::tools
