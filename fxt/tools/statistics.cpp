// Counting, and the tables of the report.
#include "fxt/tools/statistics.h"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "fxt/utf8.h"

namespace fxt::tools {
void Statistics::add(const Entry& entry, const Reader& reader) {
  RecordTotals& totals = kinds_[std::string(kind_of(entry.record))];
  ++totals.count;
  totals.bytes += entry.words.size_bytes();
  problems_ += entry.problems.size();
  if (const auto* event = std::get_if<Event>(&entry.record)) {
    add_event(*event, reader);
  } else if (const auto* object = std::get_if<KernelObject>(&entry.record)) {
    if (object->type == KernelObjectType::Process) process_names_[object->koid] = object->name.text;
    if (object->type == KernelObjectType::Thread) thread_names_[object->koid] = object->name.text;
  } else {
    std::visit(
        [&](const auto& record) {
          if constexpr (requires { record.time; }) add_time(record.time, reader);
        },
        entry.record);
  }
}

void Statistics::add_event(const Event& event, const Reader& reader) {
  ++events_[{std::string(event.category.text), std::string(event.name.text)}];
  calls_.add(event, reader);
  ++threads_[{event.thread.process, event.thread.thread}];
  ++(event.thread.storage == Storage::Inline ? inline_threads_ : table_threads_);
  for (const String* string : {&event.category, &event.name})
    ++(string->storage == Storage::Inline ? inline_strings_ : table_strings_);
  add_time(event.time, reader);
  if (event.type == EventType::DurationComplete) add_time(event.end, reader);
}

void Statistics::add_time(std::uint64_t ticks, const Reader& reader) {
  const auto ns = reader.to_ns(ticks);
  if (!ns) return;
  first_ns_ = std::min(first_ns_.value_or(*ns), *ns);
  last_ns_ = std::max(last_ns_.value_or(*ns), *ns);
}

void Statistics::append_to(TextBuffer& out, const Reader& reader) const {
  append(out, "records by kind\n");
  for (const auto& [kind, totals] : kinds_)
    append(out, "  {:<20} {:>12} {:>16} bytes\n", kind, totals.count, totals.bytes);
  append(out, "events by category and name\n");
  std::vector<std::pair<std::uint64_t, const std::pair<std::string, std::string>*>> by_count;
  for (const auto& [name, count] : events_) by_count.emplace_back(count, &name);
  std::ranges::stable_sort(by_count, std::greater{}, [](const auto& event) { return event.first; });
  for (const auto& [count, name] : by_count) {
    append(out, "  {:>12} ", count);
    append_quoted(out, name->first);
    append(out, " ");
    append_quoted(out, name->second);
    append(out, "\n");
  }
  calls_.append_to(out);
  append(out, "threads\n");
  for (const auto& [thread, count] : threads_) {
    append(out, "  {:>12} events {}/{}", count, thread.first, thread.second);
    const auto process_name = process_names_.find(thread.first);
    const auto thread_name = thread_names_.find(thread.second);
    if (process_name != process_names_.end()) {
      append(out, " process ");
      append_quoted(out, process_name->second);
    }
    if (thread_name != thread_names_.end()) {
      append(out, " thread ");
      append_quoted(out, thread_name->second);
    }
    append(out, "\n");
  }
  if (first_ns_)
    append(out, "time\n  first {} ns\n  last  {} ns\n  span  {} ns\n", *first_ns_, *last_ns_,
           *last_ns_ - *first_ns_);
  append(out, "references of events\n  strings {} by table, {} inline\n  threads {} by table, {} inline\n",
         table_strings_, inline_strings_, table_threads_, inline_threads_);
  const ReaderCounters& counters = reader.counters();
  append(out, "odd\n  {} problems, {} unknown records, {} damaged records, {} unknown arguments\n", problems_,
         counters.unknown_records, counters.damaged_records, counters.unknown_arguments);
}

void Statistics::append_json_to(TextBuffer& out, const Reader& reader) const {
  using Json = nlohmann::ordered_json;
  Json kinds = Json::array(), events = Json::array(), threads = Json::array();
  for (const auto& [kind, totals] : kinds_)
    kinds.push_back({{"kind", kind}, {"count", totals.count}, {"bytes", totals.bytes}});
  for (const auto& [names, count] : events_)
    events.push_back({{"category", make_valid_utf8(names.first)},
                      {"name", make_valid_utf8(names.second)},
                      {"count", count}});
  for (const auto& [thread, count] : threads_) {
    Json json = {{"process", thread.first}, {"thread", thread.second}, {"events", count}};
    if (const auto name = process_names_.find(thread.first); name != process_names_.end())
      json["process_name"] = make_valid_utf8(name->second);
    if (const auto name = thread_names_.find(thread.second); name != thread_names_.end())
      json["thread_name"] = make_valid_utf8(name->second);
    threads.push_back(std::move(json));
  }
  Json all = {{"records", std::move(kinds)}, {"events", std::move(events)}, {"threads", std::move(threads)}};
  all["calls"] = calls_.json();
  if (first_ns_) {
    all["first_ns"] = *first_ns_;
    all["last_ns"] = *last_ns_;
  }
  const ReaderCounters& counters = reader.counters();
  all["strings"] = {{"table", table_strings_}, {"inline", inline_strings_}};
  all["thread_references"] = {{"table", table_threads_}, {"inline", inline_threads_}};
  all["problems"] = problems_;
  all["unknown_records"] = counters.unknown_records;
  all["damaged_records"] = counters.damaged_records;
  all["unknown_arguments"] = counters.unknown_arguments;
  const std::string text = all.dump();
  out.append(text);
}

}  // namespace fxt::tools
