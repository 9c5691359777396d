// Converts a trace in Chrome's JSON format to FXT: chrome_to_fxt IN.json OUT.fxt
//
// This program sorts the events and makes ids unique. The CheckedOutput repairs events that break other rules
// of FXT readers: process 0, instants called "frame", flows outside of durations, and counters that share the
// name of a series.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fxt/checked_output.h"
#include "fxt/writer.h"

using nlohmann::json;

std::string text(const json& event, const char* member) { return event.value(member, std::string()); }
double start_of(const json& event) { return event.value("ts", 0.0); }  // in microseconds
double end_of(const json& event) { return start_of(event) + event.value("dur", 0.0); }
std::uint64_t ns(double us) { return static_cast<std::uint64_t>(std::llround(std::max(us, 0.0) * 1000)); }

// The fxt::EventType for a phase. Four types have a second, older phase. Returns nothing for other phases,
// such as metadata.
std::optional<fxt::EventType> type_of(const json& event) {
  const std::size_t phase = std::string_view("iCBEXbnestfI    STF").find(event.value("ph", "?"));
  if (phase == std::string_view::npos) return std::nullopt;
  return static_cast<fxt::EventType>(phase % 11);
}
std::uint64_t number_of(const std::string& id) {
  static std::map<std::string, std::uint64_t> numbers;
  return numbers.try_emplace(id, numbers.size() + 1).first->second;
}
// Numbers that are not negative are kept as ids. Other ids get a new number.
std::uint64_t koid_of(const json& event, const char* member) {
  const json id = event.value(member, json(0U));
  return id.is_number_unsigned() ? id.get<std::uint64_t>() : number_of(id.dump()) + 0x7000'0000;
}

fxt::Value value_of(const json& value, std::deque<std::string>& texts) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return texts.emplace_back(value.is_string() ? value.get<std::string>() : value.dump());
}
fxt::Arguments arguments_of(const json& event, std::deque<std::string>& texts) {
  std::vector<fxt::Argument> list;
  const json arguments = event.value("args", json::object());
  for (const auto& [name, value] : arguments.items())
    if (list.size() < fxt::kMaxArguments) list.push_back({texts.emplace_back(name), value_of(value, texts)});
  return list;
}

void write(const json& event, fxt::Writer& writer) {
  const std::string category = text(event, "cat"), name = text(event, "name");
  const std::uint64_t process = koid_of(event, "pid"), thread = koid_of(event, "tid");
  if (name == "process_name") writer.name_process(process, text(event.at("args"), "name"));
  if (name == "thread_name") writer.name_thread(process, thread, text(event.at("args"), "name"));
  const auto type = type_of(event);
  if (!type) return;
  // Ids are unique only within one category and name, and ids in "id2" only within one process.
  const std::string id = event.contains("id2") ? std::to_string(process) + event["id2"].dump()
                                               : event.value("id", json()).dump();
  std::deque<std::string> texts;
  writer.write(fxt::Event{.type = *type,
                          .time = ns(start_of(event)),
                          .thread = {.process = process, .thread = thread},
                          .category = category,
                          .name = name,
                          .arguments = arguments_of(event, texts),
                          .id = number_of(category + '/' + name + '/' + id),
                          .end = ns(end_of(event))});
}

int main(int argc, char** argv) try {
  if (argc != 3) throw std::invalid_argument("usage: chrome_to_fxt IN.json OUT.fxt");
  const json trace = json::parse(std::ifstream(argv[1]));
  std::vector<json> events = trace.is_array() ? trace : trace.at("traceEvents");
  // Outer durations come before inner ones, and before all other events that begin at the same time.
  std::ranges::stable_sort(events, {},
                           [](const json& event) { return std::pair(start_of(event), -end_of(event)); });
  fxt::FileOutput file(argv[2]);
  fxt::CheckedOutput output(file, {.on_finding = fxt::OnFinding::Repair});
  fxt::Writer writer(output, {.provider_name = "chrome"});
  for (const json& event : events) write(event, writer);
  writer.finish();
  for (const fxt::Finding& finding : output.findings())
    std::cerr << finding.record << ": " << finding.problem << ": " << finding.effect << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
