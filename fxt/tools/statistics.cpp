// Counts the records, and prints the tables of the report.
#include "fxt/tools/statistics.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "fxt/records.h"
#include "fxt/support/json_text.h"
#include "fxt/tools/text_table.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

// The category that fxt-convert uses for calls of the kernel.
constexpr std::string_view kKernel = "[kernel]";

// In the order of CallColumn. All columns except the first (`calls`) and the last (`name`) are times.
constexpr std::array<std::string_view, 10> kColumns{"calls", "total", "self", "average", "min",
                                                    "max",   "p50",   "p90",  "p99",     "name"};
std::string_view text_of(CallColumn column) { return kColumns.at(static_cast<std::size_t>(column)); }
// The name of the column in JSON and CSV.
std::string key_of(CallColumn column) {
  return fmt::format("{}{}", text_of(column), column == CallColumn::Calls ? "" : "_ns");
}

std::vector<CallColumn> columns_in(std::string_view list, std::string_view option, std::size_t known) {
  std::vector<CallColumn> columns;
  for (const std::string_view word : parts_of(list, ",")) {
    const auto* const end = kColumns.begin() + known;
    const auto* const found = std::find(kColumns.begin(), end, word);
    if (found == end)
      throw UsageError(fmt::format("--{} takes {}, with commas between them, not '{}'", option,
                                   fmt::join(kColumns.begin(), end, ", "), word));
    columns.push_back(static_cast<CallColumn>(found - kColumns.begin()));
  }
  return columns;
}

bool is_percentile(CallColumn column) {
  return column == CallColumn::P50 || column == CallColumn::P90 || column == CallColumn::P99;
}

struct GroupText {
  std::string_view title, word;  // title of the table, and its name in JSON
};
// The texts are in the order of CallGroup.
constexpr std::array<GroupText, 6> kGroups{{{.title = "calls of the program", .word = "program"},
                                            {.title = "calls of the kernel", .word = "kernel"},
                                            {.title = "off the CPU", .word = "off-cpu"},
                                            {.title = "async operations", .word = "async_operations"},
                                            {.title = "on a CPU, by thread", .word = "runs"},
                                            {.title = "from wakeup to CPU, by thread", .word = "wakeups"}}};
const GroupText& text_of(CallGroup group) { return kGroups.at(static_cast<std::size_t>(group)); }

// The titles are in the order of CallUnit.
constexpr std::array<std::string_view, 4> kUnitTitles{"", ", by thread", ", by process", ", by category"};

bool has_unit(CallGroup group) { return group <= CallGroup::Async; }  // other groups are always by thread

std::string title_of(CallGroup group, const CallReport& report) {
  return fmt::format("{}{}{}{}\n", text_of(group).title,
                     has_unit(group) ? kUnitTitles.at(static_cast<std::size_t>(report.by)) : "",
                     report.unit == TimeUnit::Auto ? "" : ", in ", name_of(report.unit));
}

CallGroup group_of(const CallName& name) {
  return name.category == kKernel ? CallGroup::Kernel
         : is_off_cpu(name)       ? CallGroup::OffCpu
                                  : CallGroup::Program;
}

// The subject of a line: a function with its category, or a thread, a process or a category.
std::string quoted(const CallName& name) {
  TextBuffer text;
  if (!name.category.empty()) append_quoted(text, name.category);
  if (!name.category.empty() && !name.name.empty()) text.push_back(' ');
  if (!name.name.empty() || name.category.empty()) append_quoted(text, name.name);
  return {text.data(), text.size()};
}

void append_left_out(TextBuffer& out, std::size_t all, std::size_t shown) {
  if (all > shown) append(out, "  and {} more\n", all - shown);
}

// Returns the element `index` of a list. The list grows as needed.
template <typename T>
T& element(std::vector<T>& list, std::size_t index) {
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

// Removes keys without open calls, and adapts the size of the table to the other keys.
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
  return columns_in(list, "columns", kColumns.size() - 1);
}

std::vector<CallColumn> CallReport::parse_order(std::string_view list) {
  return columns_in(list, "sort", kColumns.size());
}

bool CallReport::has_percentiles() const {
  return std::ranges::any_of(columns, is_percentile) || std::ranges::any_of(order, is_percentile);
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
    ++element(events_, calls_.index_of(*event));
    ++element(threads_, calls_.thread_of(event->thread).index);
  }
  records_.add(entry, reader);
}

CallGroup Statistics::group_of(const CallTrack& track, const Call& call) {
  if (track.is_async) return CallGroup::Async;
  std::optional<CallGroup>& group = element(groups_, call.name_index);
  if (!group) group = tools::group_of(*call.names);
  return *group;
}

// Returns the index of the line in which the call counts.
std::uint32_t Statistics::line_of(const CallTrack& track, const Call& call) {
  const CallGroup group = group_of(track, call);
  const bool is_by_name = report_.by == CallUnit::Function || report_.by == CallUnit::Category;
  std::vector<std::optional<std::uint32_t>>& known = known_lines_.at(static_cast<std::size_t>(group));
  // The number of an async track is not the number of its thread.
  if (is_by_name || !track.is_async) {
    std::optional<std::uint32_t>& index = element(known, is_by_name ? call.name_index : track.index);
    if (!index) index = line_with(group, track.thread, *call.names);
    return *index;
  }
  return line_with(group, track.thread, *call.names);
}

std::uint32_t Statistics::line_with(CallGroup group, const ThreadKey& thread, const CallName& name) {
  LineKey key{group, {}, {}};
  auto& [_, category, thread_of_line] = key;
  switch (report_.by) {
    case CallUnit::Function:  // line_of() stores the index
      lines_.push_back({.name = &name, .group = group});
      return static_cast<std::uint32_t>(lines_.size() - 1);
    case CallUnit::Category:
      category = name.category;
      break;
    case CallUnit::Thread:
      thread_of_line = thread;
      break;
    case CallUnit::Process:
      thread_of_line.first = thread.first;
      break;
  }
  const auto [line, is_new] =
      line_indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(lines_.size()));
  if (is_new) lines_.push_back({.group = group});
  return line->second;
}

void Statistics::started(CallTrack& thread, Call& call, const Event& event) {
  if (thread.is_async) {
    call.is_chosen = selection_.contains(event);
    return;
  }
  open_.open(std::uint64_t{thread.index} << 32 | line_of(thread, call));
}

void Statistics::ended(CallTrack& thread, const Call& call) {
  if (thread.is_async) return ended_operation(thread, call);
  last_ns_ = std::max(last_ns_, call.end_ns);
  const std::uint32_t index = line_of(thread, call);
  const bool is_outermost = open_.close(std::uint64_t{thread.index} << 32 | index) == 0;
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen || part.is_empty) return;
  const std::uint64_t length_ns = part.length_ns();
  Line& line = lines_[index];
  add(line, part);
  line.self_ns += length_ns - std::min(call.inner_ns, length_ns);
  if (is_outermost) line.total_ns += length_ns;
}

void Statistics::add(Line& line, const Pairing::Part& part) const {
  const std::uint64_t length_ns = part.length_ns();
  const bool is_earlier = length_ns == line.max_ns && part.begin_ns < line.max_start_ns;
  if (line.calls == 0 || length_ns > line.max_ns || is_earlier) line.max_start_ns = part.begin_ns;
  ++line.calls;
  line.sum_ns += length_ns;
  line.min_ns = std::min(line.min_ns, length_ns);
  line.max_ns = std::max(line.max_ns, length_ns);
  if (!has_percentiles_) return;
  if (line.lengths == nullptr) line.lengths = std::make_unique<LengthHistogram>();
  line.lengths->add(length_ns);
}

// An operation without an end lasts until the end of the trace.
void Statistics::ended_operation(const CallTrack& track, const Call& operation) {
  const bool never_ends = is_over_ && !operation.has_end;
  const Pairing::Part part = calls_.part_of(operation.start_ns, never_ends ? last_ns_ : operation.end_ns);
  if (!operation.is_chosen || part.is_empty) return;
  Line& line = lines_[line_of(track, operation)];
  add(line, part);
  line.total_ns += part.length_ns();
}

void Statistics::ran(const CpuRun& run) {
  if (!takes(selection_, run)) return;
  const auto count = [&](std::map<std::uint64_t, Line>& lines, std::uint64_t begin_ns, std::uint64_t end_ns) {
    const Pairing::Part part = calls_.part_of(begin_ns, end_ns);
    if (part.is_empty) return;
    Line& line = lines[run.thread];
    add(line, part);
    line.total_ns += part.length_ns();
  };
  count(runs_of_, run.begin_ns, run.end_ns);
  if (run.woken_ns) count(wakings_of_, *run.woken_ns, run.begin_ns);
}

void Statistics::finish() {
  is_over_ = true;
  calls_.finish();  // async operations end last
  runs_.finish(last_ns_);
  open_ = {};
  name_lines();
}

void Statistics::name_lines() {
  const ObjectNames& objects = calls_.objects();
  const auto name_line = [this](Line& line, CallName name) {
    line.name = &own_names_.emplace_back(std::move(name));
  };
  for (const auto& [key, index] : line_indices_) {
    const auto& [group, category, thread] = key;
    name_line(lines_[index],
              {.category = category,
               .name = report_.by == CallUnit::Thread    ? objects.text_of(thread)
                       : report_.by == CallUnit::Process ? objects.text_of_process(thread.first)
                                                         : ""});
  }
  for (auto* const by_thread : {&runs_of_, &wakings_of_})
    for (auto& [thread, line] : *by_thread) {
      name_line(line, {.category = {}, .name = objects.text_of_thread(thread)});
      line.group = by_thread == &runs_of_ ? CallGroup::OnCpu : CallGroup::Waking;
    }
}

// ---- The report ----

std::vector<Statistics::EventCount> Statistics::events() const {
  std::vector<EventCount> events;
  for (std::uint32_t i = 0; i < calls_.names().size() && i < events_.size(); ++i)
    if (events_[i] != 0) events.push_back({.count = events_[i], .name = &calls_.names()[i]});
  std::ranges::sort(events, {}, [](const EventCount& event) -> const CallName& { return *event.name; });
  return events;
}

std::uint64_t Statistics::Line::value(CallColumn column) const {
  const auto percentile = [this](unsigned percent) {
    return std::clamp(lengths->percentile(percent), min_ns, max_ns);
  };
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
    case CallColumn::P50:
      return percentile(50);
    case CallColumn::P90:
      return percentile(90);
    case CallColumn::P99:
      return percentile(99);
    case CallColumn::Name:
      return 0;
  }
  return 0;
}

std::vector<const Statistics::Line*> Statistics::lines() const {
  std::vector<const Line*> lines;
  for (const Line& line : lines_)
    if (line.calls != 0) lines.push_back(&line);
  for (const auto* const by_thread : {&runs_of_, &wakings_of_})
    for (const auto& [thread, line] : *by_thread) lines.push_back(&line);
  std::ranges::sort(lines, {}, [](const Line* line) -> const CallName& { return *line->name; });
  const auto names = std::ranges::find(report_.order, CallColumn::Name);
  for (auto column = names; column != report_.order.begin();)
    std::ranges::stable_sort(lines, std::greater(),
                             [by = *--column](const Line* line) { return line->value(by); });
  std::ranges::stable_sort(lines, {}, &Line::group);
  return lines;
}

std::vector<std::string> Statistics::cells_of(const Line& line) const {
  std::vector<std::string> cells;
  for (const CallColumn column : report_.columns)
    cells.push_back(column == CallColumn::Self && !line.has_self() ? "-"
                    : column == CallColumn::Calls                  ? fmt::format("{}", line.calls)
                                                  : time_in(report_.unit, line.value(column)));
  return cells;
}

void Statistics::append_calls_to(TextBuffer& out, const AfterLine& after_line) const {
  const std::vector<const Line*> all = lines();
  for (auto first = all.begin(); first != all.end();) {
    const CallGroup group = (*first)->group;
    const auto end =
        std::ranges::find_if(first, all.end(), [group](const Line* line) { return line->group != group; });
    append_text(out, title_of(group, report_));
    std::vector<std::string> titles;
    for (const CallColumn column : report_.columns) titles.emplace_back(text_of(column));
    const auto count = static_cast<std::size_t>(end - first);
    const std::size_t shown = std::min(count, report_.top);
    TextTable table(report_.width);
    table.measure(titles);
    for (const Line* const line : std::span(first, shown)) table.measure(cells_of(*line));
    table.append_line(out, titles, {});
    for (const Line* const line : std::span(first, shown)) {
      table.append_line(out, cells_of(*line), quoted(*line->name));
      after_line();
    }
    append_left_out(out, count, shown);
    first = end;
  }
  for (const std::string& note : calls_.notes()) append(out, "  {}\n", note);
}

// The first lines of each group, up to CallReport::top.
std::vector<const Statistics::Line*> Statistics::top_lines() const {
  std::map<CallGroup, std::size_t> counts;
  std::vector<const Line*> top = lines();
  std::erase_if(top, [&](const Line* line) { return ++counts[line->group] > report_.top; });
  return top;
}

void Statistics::append_csv_to(TextBuffer& out, const AfterLine& after_line) const {
  const auto append_field = [&out](std::string_view text) {
    std::string safe = printable(text);
    for (std::size_t at = 0; (at = safe.find('"', at)) != std::string::npos; at += 2) safe.insert(at, 1, '"');
    append(out, "\"{}\"", safe);
  };
  append_text(out, "group,category,name");
  for (const CallColumn column : report_.columns) append(out, ",{}", key_of(column));
  append_text(out, "\n");
  for (const Line* const line : top_lines()) {
    append(out, "{},", text_of(line->group).word);
    append_field(line->name->category);
    out.push_back(',');
    append_field(line->name->name);
    for (const CallColumn column : report_.columns) {
      out.push_back(',');
      if (column != CallColumn::Self || line->has_self()) append_number(out, line->value(column));
    }
    out.push_back('\n');
    after_line();
  }
}

void Statistics::append_to(TextBuffer& out, const Reader& reader, const AfterLine& after_line) const {
  append_calls_to(out, after_line);
  append(out, "events by category and name\n");
  std::vector<EventCount> by_count = events();
  std::ranges::stable_sort(by_count, std::greater{}, &EventCount::count);
  const std::size_t shown = std::min(by_count.size(), report_.top);
  for (const auto& [count, name] : std::span(by_count).first(shown)) {
    append(out, "  {:>12} {}\n", count, quoted(*name));
    after_line();
  }
  append_left_out(out, by_count.size(), shown);
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
    after_line();
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
  append(out, "unusual data\n  {} problems, {} unknown records, {} damaged records, {} unknown arguments\n",
         records_.problems, counters.unknown_records, counters.damaged_records, counters.unknown_arguments);
}

// Lists are appended an entry at a time, because a tree of all entries would need a lot of memory.
void Statistics::append_json_to(TextBuffer& out, const Reader& reader, const AfterLine& after_line) const {
  bool is_first = true;  // of a list
  const auto open_list = [&](std::string_view key) {
    append(out, "\"{}\":[", key);
    is_first = true;
  };
  const auto append_entry = [&](const Json& entry) {
    if (!std::exchange(is_first, false)) out.push_back(',');
    append_text(out, json_text(entry));
    after_line();
  };

  out.push_back('{');
  open_list("records");
  for (const auto& [kind, totals] : records_.kinds())
    append_entry({{"kind", kind}, {"count", totals.count}, {"bytes", totals.bytes}});
  append_text(out, "],");
  open_list("events");
  for (const auto& [count, name] : events())
    append_entry({{"category", name->category}, {"name", name->name}, {"count", count}});
  append_text(out, "],");
  open_list("threads");
  const auto& [processes, threads] = calls_.objects();
  for (const auto& [key, thread] : calls_.threads()) {
    if (thread.index >= threads_.size() || threads_[thread.index] == 0) continue;
    Json json = key.first == kUnregistered ? Json{{"missing", key.second}}
                                           : Json{{"process", key.first}, {"thread", key.second}};
    json["events"] = threads_[thread.index];
    if (const auto name = processes.find(key.first); name != processes.end())
      json["process_name"] = name->second;
    if (const auto name = threads.find(key.second); name != threads.end()) json["thread_name"] = name->second;
    append_entry(json);
  }
  append_text(out, "],");
  open_list("calls");
  CallGroup list = CallGroup::Program;  // group of the current list; groups with self times share a list
  for (const Line* const line : top_lines()) {
    const bool is_call = line->has_self();
    if (!is_call && line->group != list) {
      list = line->group;
      append_text(out, "],");
      open_list(text_of(list).word);
    }
    Json call = {{"category", line->name->category}, {"name", line->name->name}};
    if (is_call) call["group"] = text_of(line->group).word;
    for (const CallColumn column : report_.columns)
      if (column != CallColumn::Self || line->has_self()) call[key_of(column)] = line->value(column);
    const bool has_max = std::ranges::find(report_.columns, CallColumn::Max) != report_.columns.end();
    if (is_call && has_max) call["max_start_ns"] = line->max_start_ns;
    append_entry(call);
  }
  append_text(out, "],");
  Json all;
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
  append_text(out, std::string_view(json_text(all)).substr(1));  // the members, and the end of the object
}

// ---- Two traces ----

void append_difference(TextBuffer& out, const Compared& before, const Compared& after,
                       const CallReport& report, const Statistics::AfterLine& after_line) {
  struct Pair {
    CallGroup group;
    const CallName* name;
    std::uint64_t calls = 0, calls_after = 0, total = 0, total_after = 0;
    bool is_slower() const { return total_after > total; }
    std::uint64_t difference() const { return is_slower() ? total_after - total : total - total_after; }
    bool is_same() const { return difference() == 0 && calls == calls_after; }
    std::string change() const {
      if (calls == 0) return "new";
      if (total == 0) return "";
      return fmt::format("{:+.1f}%", (is_slower() ? 100.0 : -100.0) * static_cast<double>(difference()) /
                                         static_cast<double>(total));
    }
  };
  std::vector<Pair> all;
  for (const Compared::Calls& line : before.calls)
    all.push_back({.group = line.group, .name = &line.name, .calls = line.calls, .total = line.total_ns});
  for (const Compared::Calls& line : after.calls)
    all.push_back(
        {.group = line.group, .name = &line.name, .calls_after = line.calls, .total_after = line.total_ns});
  std::ranges::sort(all, [](const Pair& left, const Pair& right) {
    return std::tie(left.group, *left.name) < std::tie(right.group, *right.name);
  });
  // Joins the lines of a function in the two traces.
  const auto is_other_half = [](Pair& first, const Pair& second) {
    if (first.group != second.group || *first.name != *second.name) return false;
    first.calls += second.calls;
    first.calls_after += second.calls_after;
    first.total += second.total;
    first.total_after += second.total_after;
    return true;
  };
  std::size_t joined = 0;
  for (const Pair& pair : all) {
    if (joined != 0 && is_other_half(all[joined - 1], pair)) continue;
    all[joined++] = pair;
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(joined), all.end());
  std::erase_if(all, [](const Pair& pair) { return pair.is_same(); });
  std::ranges::stable_sort(all, std::greater(), &Pair::difference);
  std::ranges::stable_sort(all, {}, &Pair::group);
  append(out, "before  {}\nafter   {}\n", printable(before.file), printable(after.file));
  for (auto first = all.cbegin(); first != all.cend();) {
    const CallGroup group = first->group;
    const auto end =
        std::ranges::find_if(first, all.cend(), [group](const Pair& pair) { return pair.group != group; });
    append_text(out, title_of(group, report));
    const auto count = static_cast<std::size_t>(end - first);
    const std::size_t shown = std::min(count, report.top);
    const auto cells_of_pair = [&report](const Pair& pair) -> std::vector<std::string> {
      const std::string_view sign = pair.is_slower() ? "+" : pair.difference() != 0 ? "-" : "";
      return {fmt::format("{}", pair.calls),
              fmt::format("{}", pair.calls_after),
              time_in(report.unit, pair.total),
              time_in(report.unit, pair.total_after),
              fmt::format("{}{}", sign, time_in(report.unit, pair.difference())),
              pair.change()};
    };
    const std::vector<std::string> titles{"calls before", "after",      "total before",
                                          "after",        "difference", "change"};
    TextTable table(report.width);
    table.measure(titles);
    for (const Pair& pair : std::span(first, shown)) table.measure(cells_of_pair(pair));
    table.append_line(out, titles, {});
    for (const Pair& pair : std::span(first, shown)) {
      table.append_line(out, cells_of_pair(pair), quoted(*pair.name));
      after_line();
    }
    append_left_out(out, count, shown);
    first = end;
  }
  if (all.empty()) append_text(out, "no difference in calls and their times\n");
}

}  // namespace fxt::tools
