// Prints the tables of the report.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fxt/reader.h"
#include "fxt/support/json_text.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/statistics.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {
namespace {

// A table of numbers, with a name at the end of each line. Each column is as wide as its widest text. First,
// all lines must be measured. Then they are printed. Lines are not stored, because there may be very many.
class TextTable {
 public:
  // Names are cut so that no line is longer than `columns`. A line may be longer if fewer than 16 columns
  // would be left for the name.
  explicit TextTable(double columns) : columns_(columns) {}

  // All lines have the same number of cells.
  void measure(const std::vector<std::string>& cells) {
    widths_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
  }
  // Every line must have been measured before. The line of titles has no name.
  void append_line(TextBuffer& out, const std::vector<std::string>& cells, const std::string& name) const {
    constexpr double kLeastName = 16;
    double left = columns_ - 2;
    for (const std::size_t width : widths_) left -= static_cast<double>(width + 2);
    for (std::size_t i = 0; i < cells.size(); ++i) append(out, "  {:>{}}", cells[i], widths_[i]);
    if (!name.empty())
      append(out, "  {}", columns_of(name) <= left ? name : fitted(name, std::max(left, kLeastName)));
    out.push_back('\n');
  }

 private:
  // The width in columns. It is not the size in bytes, because the µ of a time has two bytes.
  static std::size_t width_of(const std::string& cell) { return static_cast<std::size_t>(columns_of(cell)); }

  double columns_;
  std::vector<std::size_t> widths_;
};

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
constexpr std::array<GroupText, 6> kGroups{{{.title = "calls of the program", .word = "program"},
                                            {.title = "calls of the kernel", .word = "kernel"},
                                            {.title = "off the CPU", .word = "off-cpu"},
                                            {.title = "async operations", .word = "async_operations"},
                                            {.title = "on a CPU, by thread", .word = "runs"},
                                            {.title = "from wakeup to CPU, by thread", .word = "wakeups"}}};
const GroupText& text_of(CallGroup group) { return kGroups.at(static_cast<std::size_t>(group)); }

constexpr std::array<std::string_view, 4> kUnitTitles{"", ", by thread", ", by process", ", by category"};

bool has_unit(CallGroup group) { return group <= CallGroup::Async; }  // other groups are always by thread

std::string title_of(CallGroup group, const CallReport& report) {
  return fmt::format("{}{}{}{}\n", text_of(group).title,
                     has_unit(group) ? kUnitTitles.at(static_cast<std::size_t>(report.by)) : "",
                     report.unit == TimeUnit::Auto ? "" : ", in ", name_of(report.unit));
}

// The subject of a line: a thread, a process, a category, or a function with its category.
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

}  // namespace

std::vector<CallColumn> CallReport::parse_columns(std::string_view list) {
  return columns_in(list, "columns", kColumns.size() - 1);
}

std::vector<CallColumn> CallReport::parse_order(std::string_view list) {
  return columns_in(list, "sort", kColumns.size());
}

bool CallReport::has_percentiles() const {
  return std::ranges::any_of(columns, is_percentile) || std::ranges::any_of(order, is_percentile);
}

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
  append_text(out, std::string_view(json_text(all)).substr(1));  // without "{", which was written before
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
  // If both have the same group and name, adds the numbers of `second` to `first`. They are from different
  // traces.
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
