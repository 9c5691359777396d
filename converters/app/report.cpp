#include "converters/app/report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"
#include "fxt/support/text.h"

namespace convert {

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  constexpr double kStep = 1000;
  if (static_cast<double>(bytes) < kStep) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; value >= kStep && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string text_of(const Notes& notes) {
  if (notes.empty()) return "notes: none\n";
  std::string text = "notes\n";
  for (const Notes::Group& group : notes.groups()) {
    text += fmt::format("  {} ({}): {}\n", group.kind->name, group.count, group.kind->meaning);
    for (const std::string& first : group.first) text += fmt::format("    {}\n", fxt::printable(first));
    if (group.notes > group.first.size())
      text += fmt::format("    and {} more\n", group.notes - group.first.size());
  }
  return text;
}

Outline summary_of(const Outline& all) {
  // By section: what is shown of it. A list without one is counted.
  const std::map<std::string, std::vector<std::string>> kShown{
      {"format", {}},
      {"info", {"command", "program", "ended", "recorded", "elapsed", "uftrace", "host", "kernel"}},
      {"records", {"records", "bytes", "lost records"}},
      {"target", {"architecture"}},
      {"status", {"state", "notes"}},
      {"frames", {"frames", "hits", "steps"}},
      {"time", {"clock", "span", "first ns", "last ns"}}};
  constexpr std::size_t kListed = 8;
  const auto text = [](const Outline& value) {
    return value.is_string() ? value.get<std::string>()
                             : value.dump(-1, ' ', false, Outline::error_handler_t::replace);
  };
  // "28329 worker 1: 910 records".
  const auto line_of_entry = [&](const Outline& entry) {
    if (!entry.is_object() || entry.empty()) return text(entry);
    std::string line = text(entry.front());
    for (const char* const name : {"name", "at", "problem", "begin"})
      if (entry.contains(name)) line += ' ' + text(entry[name]);
    for (const char* const count : {"records", "frames", "hits in this file"})
      if (entry.contains(count)) line += fmt::format(": {} {}", text(entry[count]), count);
    return line;
  };
  Outline summary;
  for (const auto& [name, value] : all.items()) {
    if (const auto shown = kShown.find(name); shown != kShown.end() && value.is_object()) {
      for (const std::string& key : shown->second)
        if (value.contains(key)) summary[name][key] = value[key];
    } else if (name == "threads" || name == "tracepoints" || name == "damage") {
      summary[name] = Outline::array();
      for (const Outline& entry : value) {
        if (summary[name].size() == kListed) break;
        const std::string line = line_of_entry(entry);
        summary[name].push_back(entry.contains("items") ? Outline{{line, entry["items"]}} : Outline(line));
      }
      if (value.size() > kListed) summary[name].push_back(fmt::format("and {} more", value.size() - kListed));
    } else if (value.is_structured()) {
      if (!value.empty()) summary[name] = value.is_array() ? Outline(value.size()) : Outline("yes");
    } else {
      summary[name] = value;
    }
  }
  return summary;
}

Outline outline_of(const Notes& notes) {
  Outline list = Outline::array();
  for (const Notes::Group& group : notes.groups())
    list.push_back({{"kind", group.kind->name},
                    {"count", group.count},
                    {"first", group.first.empty() ? std::string() : group.first.front()}});
  return list;
}

Outline report_of(const std::vector<std::string>& inputs, const std::string& output, const ImportStats& stats,
                  const Timeline& timeline, const Written& written) {
  std::set<ProcessId> processes;
  std::set<std::pair<ProcessId, ThreadId>> threads;
  std::uint64_t first_call_ns = kForever;
  for (const LaneInfo& lane : timeline.lanes()) {
    processes.insert(lane.process);
    threads.insert({lane.process, lane.thread});
    first_call_ns = std::min(first_call_ns, lane.first_call_ns);
  }
  Outline report{{"inputs", inputs}, {"output", nullptr}};
  if (written.pieces.empty())
    report["output"] = output;
  else
    report["pieces"] = written.pieces;
  report["bytes_read"] = stats.bytes_read.load();
  report["bytes_written"] = written.bytes;
  report["records_read"] = stats.records_read.load();
  report["events_written"] = written.events;
  report["threads"] = threads.size();
  report["processes"] = processes.size();
  report["first_ns"] = written.first_ns ? Outline(*written.first_ns) : Outline();
  report["last_ns"] = written.first_ns ? Outline(written.last_ns) : Outline();
  report["view_ns"] =
      first_call_ns < timeline.calls_end_ns() ? Outline{first_call_ns, timeline.calls_end_ns()} : Outline();
  if (!stats.details.empty()) report["details"] = stats.details;
  return report;
}

std::string report_text(const Outline& report) {
  const auto number = [&](const char* key) { return report[key].get<std::uint64_t>(); };
  const auto counted = [&](const char* key, std::string_view one) {
    return fmt::format("{} {}{}", number(key), one, number(key) == 1 ? "" : one.ends_with('s') ? "es" : "s");
  };
  const auto inputs = report["inputs"].get<std::vector<std::string>>();
  const auto pieces = report.value("pieces", std::vector<std::string>());
  std::string text =
      fmt::format("read     {}: {}, {}\n", fxt::printable(fmt::format("{}", fmt::join(inputs, ", "))),
                  format_bytes(number("bytes_read")), counted("records_read", "record"));
  text +=
      fmt::format("written  {}: {}, {} of {} in {}\n",
                  pieces.empty() ? fxt::printable(report["output"].get<std::string>())
                                 : fmt::format("{} piece{}", pieces.size(), pieces.size() == 1 ? "" : "s"),
                  format_bytes(number("bytes_written")), counted("events_written", "event"),
                  counted("threads", "thread"), counted("processes", "process"));
  for (const std::string& piece : pieces) text += fmt::format("         {}\n", fxt::printable(piece));
  if (!report["first_ns"].is_null()) {
    const std::uint64_t first_ns = number("first_ns"), last_ns = number("last_ns");
    text += fmt::format("time     {} to {} ({} long)\n", format_seconds(first_ns), format_seconds(last_ns),
                        format_seconds(last_ns - first_ns));
  }
  constexpr std::size_t kShownDetails = 20;
  const auto details = report.value("details", std::vector<std::string>());
  for (std::size_t i = 0; i < std::min(details.size(), kShownDetails); ++i)
    text += fmt::format("{}{}\n", i == 0 ? "details  " : "         ", fxt::printable(details[i]));
  if (details.size() > kShownDetails)
    text += fmt::format("         and {} more: --report json has them all\n", details.size() - kShownDetails);
  return text;
}

}  // namespace convert
