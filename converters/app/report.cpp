#include "converters/app/report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

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
  std::string text = notes.has_only_remarks()
                         ? "notes: informational only, no recorded data are missing\n"
                         : "notes: some data are lost, repaired or not shown; see --explain KIND\n";
  for (const Notes::Group& group : notes.groups()) {
    text += fmt::format("  {} ({}{}): {}\n", group.kind->name, group.count,
                        group.kind->is_remark ? ", informational" : "", group.kind->meaning);
    for (const std::string& first : group.first) text += fmt::format("    {}\n", fxt::printable(first));
    if (group.notes > group.first.size())
      text += fmt::format("    and {} more\n", group.notes - group.first.size());
  }
  return text;
}

Outline summary_of(const Outline& all, const std::map<std::string, std::vector<std::string>>& shown) {
  constexpr std::size_t kListed = 8;
  // Returns "28329 worker 1: 910 records", for example.
  const auto line_of_entry = [&](const Outline& entry) {
    if (!entry.is_object() || entry.empty()) return plain(entry);
    std::string line = plain(entry.front());
    for (const char* const name : {"name", "at", "problem", "begin"})
      if (const auto value = entry.find(name); value != entry.end() && value != entry.begin())
        line += ' ' + plain(*value);
    if (const auto end = entry.find("end"); end != entry.end()) line += " to " + plain(*end);
    for (const char* const count : {"records", "frames", "hits in this file"})
      if (const auto value = entry.find(count); value != entry.end())
        line += fmt::format(": {} {}", plain(*value), count);
    return line;
  };
  Outline summary;
  for (const auto& [name, value] : all.items()) {
    if (const auto entries = shown.find(name); entries != shown.end() && value.is_object()) {
      for (const std::string& key : entries->second)
        if (const auto part = value.find(key); part != value.end()) summary[name][key] = *part;
    } else if (name == "threads" || name == "tracepoints" || name == "damage") {
      Outline& list = summary[name] = Outline::array();
      for (const Outline& entry : value) {
        if (list.size() == kListed) break;
        const std::string line = line_of_entry(entry);
        const auto items = entry.find("items");
        list.push_back(items != entry.end() ? Outline{{line, *items}} : Outline(line));
      }
      if (const std::size_t count = value.size(); count > kListed)
        list.push_back(fmt::format("and {} more", count - kListed));
    } else if (value.is_array() || value.is_object()) {
      if (const std::size_t count = value.size(); count != 0)
        summary[name] = value.is_array() ? Outline(count) : Outline("yes");
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

namespace {

struct Counts {
  std::size_t threads, processes;
};
Counts counts_of(const Timeline& timeline) {
  std::set<ProcessId> processes;
  std::set<std::pair<ProcessId, ThreadId>> threads;
  for (const LaneInfo& lane : timeline.lanes()) {
    processes.insert(lane.process);
    threads.insert({lane.process, lane.thread});
  }
  return {.threads = threads.size(), .processes = processes.size()};
}

std::vector<std::string> details_of(const Report& report) {
  std::vector<std::string> lines;
  for (const auto& [input, text] : report.stats.details)
    lines.push_back(report.inputs.size() == 1 ? text : fmt::format("{}: {}", input, text));
  return lines;
}

}  // namespace

Outline outline_of(const Report& report) {
  const auto& [inputs, output, stats, timeline, written] = report;
  Outline outline{{"inputs", inputs}, {"output", nullptr}};
  if (written.pieces.empty())
    outline["output"] = output;
  else
    outline["pieces"] = written.pieces;
  outline["bytes_read"] = stats.bytes_read.load();
  outline["bytes_written"] = written.bytes;
  outline["records_read"] = stats.records_read.load();
  outline["events_written"] = written.events;
  const Counts counts = counts_of(timeline);
  outline["threads"] = counts.threads;
  outline["processes"] = counts.processes;
  outline["first_ns"] = written.first_ns ? Outline(*written.first_ns) : Outline();
  outline["last_ns"] = written.first_ns ? Outline(written.last_ns) : Outline();
  Outline& view = outline["view_ns"];
  if (const auto& first = timeline.totals().first_view)
    for (const std::uint64_t time_ns : {first->span.begin_ns, first->span.end_ns}) view.push_back(time_ns);
  if (written.fitted)
    outline["fitted"] = {{"shortest_ns", written.fitted->shortest_ns},
                         {"left_out", written.fitted->left_out},
                         {"left_out_ns", written.fitted->time_ns},
                         {"outside_ns", written.fitted->outside_ns}};
  for (const auto& [input, text] : stats.details)
    outline["details"].push_back(Outline{{"input", input}, {"text", text}});
  return outline;
}

std::string text_of(const Report& report) {
  const auto& [inputs, output, stats, timeline, written] = report;
  const Counts counts = counts_of(timeline);
  using fxt::counted;
  std::string text =
      fmt::format("read     {}: {}, {}\n", fxt::printable(fmt::format("{}", fmt::join(inputs, ", "))),
                  format_bytes(stats.bytes_read), counted(stats.records_read, "record"));
  text +=
      fmt::format("written  {}: {}, {} of {} in {}\n",
                  written.pieces.empty() ? fxt::printable(output) : counted(written.pieces.size(), "piece"),
                  format_bytes(written.bytes), counted(written.events, "event"),
                  counted(counts.threads, "thread"), counted(counts.processes, "process", "processes"));
  constexpr std::size_t kShownPieces = 20;
  for (std::size_t i = 0; i < std::min(written.pieces.size(), kShownPieces); ++i)
    text += fmt::format("         {}\n", fxt::printable(written.pieces[i]));
  if (written.pieces.size() > kShownPieces)
    text += fmt::format("         and {} more\n", written.pieces.size() - kShownPieces);
  if (written.first_ns)
    text += fmt::format("time     {} to {} ({} long)\n", format_seconds(*written.first_ns),
                        format_seconds(written.last_ns), format_seconds(written.last_ns - *written.first_ns));
  constexpr std::size_t kShownDetails = 20;
  const std::vector<std::string> details = details_of(report);
  for (std::size_t i = 0; i < std::min(details.size(), kShownDetails); ++i)
    text += fmt::format("{}{}\n", i == 0 ? "details  " : "         ", fxt::printable(details[i]));
  if (details.size() > kShownDetails)
    text += fmt::format("         and {} more; --report json lists all\n", details.size() - kShownDetails);
  return text;
}

}  // namespace convert
