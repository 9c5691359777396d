// Counts the records, and prints the tables of the report.
#include "fxt/tools/statistics.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "fxt/records.h"
#include "fxt/support/json_text.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

// The categories that fxt-convert uses for calls outside of the program.
constexpr std::string_view kKernel = "[kernel]";

struct ColumnText {
  std::string_view name;
  int width;
  bool is_time = true;
};
// By CallColumn.
constexpr std::array<ColumnText, 6> kColumns{{{.name = "calls", .width = 12, .is_time = false},
                                              {.name = "total", .width = 14},
                                              {.name = "self", .width = 14},
                                              {.name = "average", .width = 12},
                                              {.name = "min", .width = 12},
                                              {.name = "max", .width = 12}}};
const ColumnText& text_of(CallColumn column) { return kColumns.at(static_cast<std::size_t>(column)); }

struct GroupText {
  std::string_view title, word;  // of the table, and in JSON
};
// By CallGroup.
constexpr std::array<GroupText, 6> kGroups{{{.title = "calls of the program", .word = "program"},
                                            {.title = "calls of the kernel", .word = "kernel"},
                                            {.title = "off the cpu", .word = "off-cpu"},
                                            {.title = "async operations", .word = "async_operations"},
                                            {.title = "on a cpu, by thread", .word = "runs"},
                                            {.title = "from wakeup to cpu, by thread", .word = "wakeups"}}};
const GroupText& text_of(CallGroup group) { return kGroups.at(static_cast<std::size_t>(group)); }

std::string title_of(CallGroup group, TimeUnit unit) {
  return fmt::format("{}{}{}\n", text_of(group).title, unit == TimeUnit::Auto ? "" : ", in ", name_of(unit));
}

CallGroup group_of(const CallName& name) {
  return name.category == kKernel ? CallGroup::Kernel
         : is_off_cpu(name)       ? CallGroup::OffCpu
                                  : CallGroup::Program;
}

void append_names(TextBuffer& out, const CallName& name) {
  append_quoted(out, name.category);
  out.push_back(' ');
  append_quoted(out, name.name);
  out.push_back('\n');
}

// The element `index` of a list, which grows as needed.
template <typename T>
T& at(std::vector<T>& list, std::size_t index) {
  if (index >= list.size()) list.resize(std::max(index + 1, 2 * list.size()));
  return list[index];
}

}  // namespace

OpenNames::Slot& OpenNames::slot(std::uint64_t key) {
  constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
  for (std::size_t at = (key * kGolden) >> 20;; ++at) {
    Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.key == key) return slot;
    if (slot.key != ~std::uint64_t{0}) continue;
    if (2 * used_ >= slots_.size()) {
      grow();
      return this->slot(key);
    }
    ++used_;
    slot.key = key;
    return slot;
  }
}

// Frees the slots of names that are closed.
void OpenNames::grow() {
  const auto open = static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.count != 0; }));
  std::size_t size = 1024;
  while (size < 4 * open) size *= 2;
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
  used_ = 0;
  for (const Slot& slot : old)
    if (slot.count != 0) this->slot(slot.key).count = slot.count;
}

std::vector<CallColumn> CallReport::parse_columns(std::string_view list) {
  std::vector<CallColumn> columns;
  for (const std::string_view word : parts_of(list, ",")) {
    const auto* const found = std::ranges::find(kColumns, word, &ColumnText::name);
    if (found == kColumns.end())
      throw UsageError(fmt::format(
          "--columns takes calls, total, self, average, min, max, with commas between them, not '{}'", word));
    columns.push_back(static_cast<CallColumn>(found - kColumns.begin()));
  }
  return columns;
}

void RecordCounts::add(const Entry& entry, const Reader& reader) {
  const auto* const event = std::get_if<Event>(&entry.record);
  Totals& totals =
      event != nullptr ? event_types.at(code(event->type)) : record_types.at(entry.record.index());
  ++totals.count;
  totals.bytes += entry.words.size_bytes();
  problems += entry.problems.size();
  if (event == nullptr) {
    if (const auto ticks = fxt::time_of(entry.record)) add_time(*ticks, reader);
    return;
  }
  add_time(event->time, reader);
  if (event->type == EventType::DurationComplete) add_time(event->end, reader);
  ++(event->thread.storage == Storage::Inline ? inline_threads : table_threads);
  for (const String* string : {&event->category, &event->name})
    ++(string->storage == Storage::Inline ? inline_strings : table_strings);
}

void RecordCounts::add_time(std::uint64_t ticks, const Reader& reader) {
  const auto ns = reader.to_ns(ticks);
  if (!ns) return;
  if (!first_ns || *ns < *first_ns) first_ns = ns;
  if (!last_ns || *ns > *last_ns) last_ns = ns;
}

std::map<std::string_view, RecordCounts::Totals> RecordCounts::kinds() const {
  std::map<std::string_view, Totals> kinds;
  const auto all = fxt::kinds();  // event types, then the types of other records
  for (std::size_t i = 0; i < record_types.size(); ++i)
    if (record_types[i].count != 0) kinds[all[event_types.size() + i]] = record_types[i];
  for (std::size_t i = 0; i < event_types.size(); ++i)
    if (event_types[i].count != 0) kinds[all[i]] = event_types[i];
  return kinds;
}

Statistics::Statistics(const Selection& selection, CallReport report)
    : selection_(selection),
      filter_(selection),
      report_(std::move(report)),
      calls_(selection, *this, CallStream::Kinds::DurationsAndAsyncs),
      runs_([this](const CpuRun& run) { ran(run); }) {}

void Statistics::add(const Entry& entry, const Reader& reader) {
  const bool is_of_call = calls_.add(entry, reader);
  const auto* const event = std::get_if<Event>(&entry.record);
  if (event == nullptr || is_async(event->type))
    if (const auto time_ns = time_of(entry.record, reader)) {
      last_ns_ = std::max(last_ns_, *time_ns);
      if (event == nullptr) runs_.add(entry.record, *time_ns);
    }
  const bool is_chosen = selection_.empty() || (filter_.is_in_range(entry, reader) &&
                                                (event != nullptr && is_duration(event->type)
                                                     ? is_of_call && selection_.has_kind(entry.record)
                                                     : selection_.contains(entry.record)));
  if (!is_chosen) return;
  if (event != nullptr) {
    ++at(events_, calls_.index_of(*event));
    ++at(threads_, calls_.thread_of(event->thread).index);
  }
  records_.add(entry, reader);
}

void Statistics::started(CallTrack& thread, Call& call, const Event& event) {
  if (thread.is_async) {
    call.is_chosen = selection_.contains(event);
    return;
  }
  open_.open(std::uint64_t{thread.index} << 32 | call.name_index);
}

void Statistics::ended(CallTrack& thread, const Call& call) {
  if (thread.is_async) return ended_operation(call);
  last_ns_ = std::max(last_ns_, call.end_ns);
  const std::uint64_t key = std::uint64_t{thread.index} << 32 | call.name_index;
  const bool is_outermost = open_.close(key) == 0;
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen || part.is_empty) return;
  const std::uint64_t length_ns = part.length_ns();
  Function& function = at(totals_, call.name_index);
  function.add(length_ns);
  function.self_ns += length_ns - std::min(call.inner_ns, length_ns);
  if (is_outermost) function.total_ns += length_ns;
}

void Statistics::Function::add(std::uint64_t length_ns) {
  ++calls;
  sum_ns += length_ns;
  min_ns = std::min(min_ns, length_ns);
  max_ns = std::max(max_ns, length_ns);
}

// An operation without an end lasts until the end of the trace.
void Statistics::ended_operation(const Call& operation) {
  const bool never_ends = is_over_ && !operation.has_end;
  const Pairing::Part part = calls_.part_of(operation.start_ns, never_ends ? last_ns_ : operation.end_ns);
  if (!operation.is_chosen || part.is_empty) return;
  Function& function = operation_totals_[operation.name_index];
  function.add(part.length_ns());
  function.total_ns += part.length_ns();
}

void Statistics::ran(const CpuRun& run) {
  if (!takes(selection_, run)) return;
  const auto add = [&](std::map<std::uint64_t, Function>& totals, std::uint64_t begin_ns,
                       std::uint64_t end_ns) {
    const Pairing::Part part = calls_.part_of(begin_ns, end_ns);
    if (part.is_empty) return;
    Function& function = totals[run.thread];
    function.add(part.length_ns());
    function.total_ns += part.length_ns();
  };
  add(run_totals_, run.begin_ns, run.end_ns);
  if (run.woken_ns) add(waking_totals_, *run.woken_ns, run.begin_ns);
}

void Statistics::finish() {
  is_over_ = true;
  calls_.finish();  // async operations come last
  runs_.finish(last_ns_);
}

// ---- The report ----

std::map<CallName, std::uint64_t> Statistics::events() const {
  std::map<CallName, std::uint64_t> events;
  for (std::uint32_t i = 0; i < calls_.names().size() && i < events_.size(); ++i)
    if (events_[i] != 0) events[calls_.names()[i]] = events_[i];
  return events;
}

std::uint64_t Statistics::Function::value(CallColumn column) const {
  switch (column) {
    case CallColumn::Calls:
      return calls;
    case CallColumn::Total:
      return total_ns;
    case CallColumn::Self:
      return self_ns;
    case CallColumn::Average:
      return sum_ns / calls;
    case CallColumn::Min:
      return min_ns;
    case CallColumn::Max:
      return max_ns;
    case CallColumn::Name:
      return 0;
  }
  return 0;
}

std::vector<Statistics::Function> Statistics::functions() const {
  std::vector<Function> functions;
  for (std::uint32_t i = 0; i < totals_.size(); ++i) {
    if (totals_[i].calls == 0) continue;
    functions.push_back(totals_[i]);
    functions.back().name = calls_.names()[i];
    functions.back().group = group_of(calls_.names()[i]);
  }
  const auto add = [&functions](Function function, CallName name, CallGroup group) {
    function.name = std::move(name);
    function.group = group;
    functions.push_back(std::move(function));
  };
  for (const auto& [name, function] : operation_totals_)
    add(function, calls_.names()[name], CallGroup::Async);
  for (const auto& [thread, function] : run_totals_)
    add(function, {.category = "", .name = calls_.objects().text_of_thread(thread)}, CallGroup::OnCpu);
  for (const auto& [thread, function] : waking_totals_)
    add(function, {.category = "", .name = calls_.objects().text_of_thread(thread)}, CallGroup::Waking);
  std::ranges::sort(functions, {}, &Function::name);
  std::ranges::stable_sort(functions, std::greater(),
                           [this](const Function& one) { return one.value(report_.order); });
  std::ranges::stable_sort(functions, {}, &Function::group);
  return functions;
}

void Statistics::append_calls_to(TextBuffer& out) const {
  std::optional<CallGroup> group;
  for (const Function& function : functions()) {
    if (group != function.group) {
      group = function.group;
      append(out, "{} ", title_of(*group, report_.unit));
      for (const CallColumn column : report_.columns)
        append(out, " {:>{}}", text_of(column).name, text_of(column).width);
      append(out, "\n");
    }
    append(out, " ");
    for (const CallColumn column : report_.columns) {
      const auto& [name, width, is_time] = text_of(column);
      const std::uint64_t value = function.value(column);
      const bool is_none = column == CallColumn::Self && !function.has_self();
      append(out, " {:>{}}",
             is_none   ? "-"
             : is_time ? time_in(report_.unit, value)
                       : fmt::format("{}", value),
             width);
    }
    append(out, " ");
    append_names(out, function.name);
  }
  for (const std::string& note : calls_.notes()) append(out, "  {}\n", note);
}

void Statistics::append_to(TextBuffer& out, const Reader& reader) const {
  append_calls_to(out);
  append(out, "events by category and name\n");
  const auto names = events();
  std::vector<std::pair<std::uint64_t, const CallName*>> by_count;
  for (const auto& [name, count] : names) by_count.emplace_back(count, &name);
  std::ranges::stable_sort(by_count, std::greater{}, [](const auto& event) { return event.first; });
  for (const auto& [count, name] : by_count) {
    append(out, "  {:>12} ", count);
    append_names(out, *name);
  }
  append(out, "threads\n");
  const auto& [processes, threads] = calls_.objects();
  for (const auto& [key, thread] : calls_.threads()) {
    if (thread.index >= threads_.size() || threads_[thread.index] == 0) continue;
    append(out, "  {:>12} events {}", threads_[thread.index], numbers_of(key));
    if (const auto name = processes.find(key.first); name != processes.end()) {
      append(out, " process ");
      append_quoted(out, name->second);
    }
    if (const auto name = threads.find(key.second); name != threads.end()) {
      append(out, " thread ");
      append_quoted(out, name->second);
    }
    append(out, "\n");
  }
  if (records_.first_ns)
    append(out, "time\n  first {} ns\n  last  {} ns\n  span  {}\n", *records_.first_ns, *records_.last_ns,
           report_.unit == TimeUnit::Auto
               ? exact_time(*records_.last_ns - *records_.first_ns)
               : fmt::format("{} {}", time_in(report_.unit, *records_.last_ns - *records_.first_ns),
                             name_of(report_.unit)));
  append(out, "records by kind\n");
  for (const auto& [kind, totals] : records_.kinds())
    append(out, "  {:<20} {:>12} {:>16} bytes\n", kind, totals.count, totals.bytes);
  append(out, "references of events\n  strings {} by table, {} inline\n  threads {} by table, {} inline\n",
         records_.table_strings, records_.inline_strings, records_.table_threads, records_.inline_threads);
  const ReaderCounters& counters = reader.counters();
  append(out, "odd\n  {} problems, {} unknown records, {} damaged records, {} unknown arguments\n",
         records_.problems, counters.unknown_records, counters.damaged_records, counters.unknown_arguments);
}

void Statistics::append_json_to(TextBuffer& out, const Reader& reader) const {
  Json records = Json::array(), event_list = Json::array(), thread_list = Json::array(),
       calls = Json::array();
  for (const auto& [kind, totals] : records_.kinds())
    records.push_back({{"kind", kind}, {"count", totals.count}, {"bytes", totals.bytes}});
  for (const auto& [name, count] : events())
    event_list.push_back({{"category", name.category}, {"name", name.name}, {"count", count}});
  std::map<std::string_view, Json> others;  // lists of objects that are not calls
  for (const Function& function : functions()) {
    const bool is_call = function.has_self();
    Json call = {{"category", function.name.category}, {"name", function.name.name}};
    if (is_call) call["group"] = text_of(function.group).word;
    for (const CallColumn column : report_.columns)
      if (column != CallColumn::Self || function.has_self())
        call[fmt::format("{}{}", text_of(column).name, text_of(column).is_time ? "_ns" : "")] =
            function.value(column);
    (is_call ? calls : others[text_of(function.group).word]).push_back(std::move(call));
  }
  const auto& [processes, threads] = calls_.objects();
  for (const auto& [key, thread] : calls_.threads()) {
    if (thread.index >= threads_.size() || threads_[thread.index] == 0) continue;
    Json json = key.first == kUnregistered ? Json{{"missing", key.second}}
                                           : Json{{"process", key.first}, {"thread", key.second}};
    json["events"] = threads_[thread.index];
    if (const auto name = processes.find(key.first); name != processes.end())
      json["process_name"] = name->second;
    if (const auto name = threads.find(key.second); name != threads.end()) json["thread_name"] = name->second;
    thread_list.push_back(std::move(json));
  }
  Json all = {{"records", std::move(records)},
              {"events", std::move(event_list)},
              {"threads", std::move(thread_list)},
              {"calls", std::move(calls)}};
  for (auto& [name, list] : others) all[name] = std::move(list);
  if (records_.first_ns) {
    all["first_ns"] = *records_.first_ns;
    all["last_ns"] = *records_.last_ns;
  }
  if (calls_.odd().unmatched != 0) all["ends_without_begin"] = calls_.odd().unmatched;
  if (calls_.odd().crossing != 0) all["crossing_calls"] = calls_.odd().crossing;
  if (calls_.odd().bad_times != 0) all["impossible_events"] = calls_.odd().bad_times;
  const ReaderCounters& counters = reader.counters();
  all["strings"] = Json{{"table", records_.table_strings}, {"inline", records_.inline_strings}};
  all["thread_references"] = Json{{"table", records_.table_threads}, {"inline", records_.inline_threads}};
  all["problems"] = records_.problems;
  all["unknown_records"] = counters.unknown_records;
  all["damaged_records"] = counters.damaged_records;
  all["unknown_arguments"] = counters.unknown_arguments;
  append_text(out, json_text(all));
}

// ---- Two traces ----

void append_difference(TextBuffer& out, const Statistics& before, const Statistics& after, TimeUnit unit) {
  struct Pair {
    std::uint64_t calls = 0, calls_after = 0, total = 0, total_after = 0;
    bool is_slower() const { return total_after > total; }
    std::uint64_t difference() const { return is_slower() ? total_after - total : total - total_after; }
  };
  using Line = std::pair<CallGroup, CallName>;
  std::map<Line, Pair> pairs;
  for (const auto& function : before.functions()) {
    Pair& pair = pairs[{function.group, function.name}];
    pair.calls = function.calls;
    pair.total = function.total_ns;
  }
  for (const auto& function : after.functions()) {
    Pair& pair = pairs[{function.group, function.name}];
    pair.calls_after = function.calls;
    pair.total_after = function.total_ns;
  }
  std::vector<std::pair<Line, Pair>> lines(pairs.begin(), pairs.end());
  std::ranges::stable_sort(lines, std::greater(), [](const auto& line) { return line.second.difference(); });
  std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first.first; });
  std::optional<CallGroup> group;
  for (const auto& [line, pair] : lines) {
    const auto& [line_group, name] = line;
    if (pair.difference() == 0 && pair.calls == pair.calls_after) continue;
    if (group != line_group) {
      group = line_group;
      append(out, "{}  {:>12} {:>12} {:>14} {:>14} {:>15} {:>8}\n", title_of(*group, unit), "calls",
             "in FILE", "total", "in FILE", "difference", "change");
    }
    append(out, "  {:>12} {:>12} {:>14} {:>14} {:>15} {:>8} ", pair.calls, pair.calls_after,
           time_in(unit, pair.total), time_in(unit, pair.total_after),
           (pair.is_slower()         ? "+"
            : pair.difference() != 0 ? "-"
                                     : "") +
               time_in(unit, pair.difference()),
           pair.calls == 0   ? "new"
           : pair.total == 0 ? ""
                             : fmt::format("{:+.1f}%", (pair.is_slower() ? 100.0 : -100.0) *
                                                           static_cast<double>(pair.difference()) /
                                                           static_cast<double>(pair.total)));
    append_names(out, name);
  }
  if (!group) append_text(out, "no difference in calls and their times\n");
}

}  // namespace fxt::tools
