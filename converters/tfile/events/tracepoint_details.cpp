#include "converters/tfile/events/tracepoint_details.h"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {
namespace {

std::string count_of(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string place_of(const TracepointLocation& location, const ProgramSymbols* symbols) {
  std::string place =
      location.at.empty() ? fmt::format("*{:#x}", location.address) : location_text(location.at);
  if (symbols == nullptr) return place;
  const CodeInfo code = symbols->code_at(location.address);
  const std::string source = std::filesystem::path(code.source).filename().string();
  // A tracepoint set by its line has a function besides, one set by its function a line.
  const std::string& other = place.find(':') == std::string::npos ? source : code.function;
  return other.empty() ? place : fmt::format("{} ({})", place, other);
}

}  // namespace

std::vector<std::string> TracepointDetails::lines(
    const TraceFile& trace, const TraceSurvey& survey, const ProgramSymbols* symbols,
    const std::map<std::int16_t, ValueArguments::Lacking>& lacking) const {
  const auto never = [](std::string_view) { return false; };
  std::vector<std::string> lines;
  for (const auto& [number, frames] : survey.frames_of) {
    std::string line = fmt::format("tracepoint {}", static_cast<std::uint16_t>(number));
    const auto location = std::ranges::find(trace.description.locations, static_cast<std::uint16_t>(number),
                                            &TracepointLocation::number);
    if (location != trace.description.locations.end()) line += " at " + place_of(*location, symbols);
    line += ": " + count_of(frames, "frame", "frames");
    if (location != trace.description.locations.end()) {
      const CollectItems items = collect_items(location->commands, never, never);
      line += ", " + count_of(items.hit.size() + items.step.size(), "item", "items");
    }
    if (const auto without = lacking.find(number); without != lacking.end())
      line += fmt::format(", {} without a typed value ({})", without->second.items, without->second.first);
    const auto counted = counted_.find(number);
    if (counted != counted_.end() && counted->second.unnamed > 0)
      line += ", " + count_of(counted->second.unnamed, "block", "blocks") + " of memory without a name";
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace convert::tfile
