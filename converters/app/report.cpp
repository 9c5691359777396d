#include "converters/app/report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fxt/support/text.h"

namespace convert {
namespace {

std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  constexpr double kStep = 1000;
  if (static_cast<double>(bytes) < kStep) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / kStep;
  std::size_t unit = 0;
  for (; value >= kStep && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string format_seconds(std::uint64_t time_ns) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  return fmt::format("{}.{:09} s", time_ns / kNsPerSecond, time_ns % kNsPerSecond);
}

std::string text_of(const Notes& notes) {
  if (notes.empty()) return "notes: none\n";
  std::string text = "notes\n";
  for (const Notes::Group& group : notes.groups()) {
    text += fmt::format("  {} ({}): {}\n", group.kind->name, group.count, group.kind->meaning);
    for (const std::string& first : group.first) text += fmt::format("    {}\n", fxt::printable(first));
  }
  return text;
}

Outline outline_of(const Notes& notes) {
  Outline list = Outline::array();
  for (const Notes::Group& group : notes.groups())
    list.push_back({{"kind", group.kind->name},
                    {"count", group.count},
                    {"first", group.first.empty() ? std::string() : group.first.front()}});
  return list;
}

std::string text_of(const Report& report, const Notes& notes) {
  std::string text =
      fmt::format("read     {}: {}, {}\n", fxt::printable(joined(report.inputs)),
                  format_bytes(report.bytes_read), count_of(report.records_read, "record", "records"));
  text += fmt::format("written  {}: {}, {} of {} in {}\n",
                      report.pieces.empty() ? fxt::printable(report.output)
                                            : count_of(report.pieces.size(), "piece", "pieces"),
                      format_bytes(report.bytes_written), count_of(report.events_written, "event", "events"),
                      count_of(report.threads, "thread", "threads"),
                      count_of(report.processes, "process", "processes"));
  for (const std::string& piece : report.pieces) text += fmt::format("         {}\n", fxt::printable(piece));
  if (report.first_ns)
    text += fmt::format("time     {} to {} ({} long)\n", format_seconds(*report.first_ns),
                        format_seconds(report.last_ns), format_seconds(report.last_ns - *report.first_ns));
  constexpr std::size_t kShownDetails = 20;
  for (std::size_t i = 0; i < std::min(report.details.size(), kShownDetails); ++i)
    text += fmt::format("{}{}\n", i == 0 ? "details  " : "         ", fxt::printable(report.details[i]));
  if (report.details.size() > kShownDetails)
    text += fmt::format("         and {} more: --report json has them all\n",
                        report.details.size() - kShownDetails);
  return notes.empty() ? text : text + text_of(notes);
}

std::string json_of(const Report& report, const Notes& notes) {
  const Outline time_or_null = report.first_ns ? Outline(*report.first_ns) : Outline();
  Outline object{{"inputs", report.inputs},
                 {"output", report.pieces.empty() ? Outline(report.output) : Outline()},
                 {"bytes_read", report.bytes_read},
                 {"bytes_written", report.bytes_written},
                 {"records_read", report.records_read},
                 {"events_written", report.events_written},
                 {"threads", report.threads},
                 {"processes", report.processes},
                 {"first_ns", time_or_null},
                 {"last_ns", report.first_ns ? Outline(report.last_ns) : Outline()},
                 {"notes", outline_of(notes)}};
  if (!report.pieces.empty()) object["pieces"] = report.pieces;
  if (!report.details.empty()) object["details"] = report.details;
  // Paths and names may hold any bytes; a report is always valid UTF-8.
  return object.dump(-1, ' ', false, Outline::error_handler_t::replace) + "\n";
}

}  // namespace convert
