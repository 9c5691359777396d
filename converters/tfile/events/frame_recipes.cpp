#include "converters/tfile/events/frame_recipes.h"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>

#include "fxt/support/text.h"

namespace convert::tfile {
namespace {

// Returns the location as the user wrote it, and adds its function or its source file in brackets:
// "queue.c:14 (put)", "put (queue.c)".
std::string location_name(const TracepointLocation& location, const ProgramSymbols* symbols) {
  std::string name =
      location.at.empty() ? fmt::format("*{:#x}", location.address) : location_text(location.at);
  if (symbols == nullptr) return name;
  const CodeInfo code = symbols->code_at(location.address);
  const std::string source = std::filesystem::path(code.source).filename().string();
  // For a line, the function is added. For a function, the source file is added. The text names a line if
  // there are only digits after the last colon, because the name of a function may also contain colons.
  const std::string_view after_colon = std::string_view(name).substr(name.rfind(':') + 1);
  const bool is_line = after_colon.size() < name.size() && !after_colon.empty() &&
                       after_colon.find_first_not_of("0123456789") == std::string_view::npos;
  const std::string& other = is_line ? code.function : source;
  return other.empty() ? name : fmt::format("{} ({})", name, other);
}

}  // namespace

std::string tracepoint_name(std::int16_t number, const LocationTable& locations,
                            const ProgramSymbols* symbols) {
  const auto unsigned_number = static_cast<std::uint16_t>(number);
  std::string name = fmt::format("tracepoint {}", unsigned_number);
  if (const auto all = locations.locations_of(number); !all.empty())
    name += " at " + location_name(*all.front().location, symbols);
  return name;
}

std::vector<std::string> TracepointDetails::lines(
    const LocationTable& locations, const TraceSurvey& survey, const ProgramSymbols* symbols,
    const std::map<std::int16_t, ValueArguments::Lacking>& lacking) const {
  std::vector<std::string> lines;
  for (const auto& [number, frames] : survey.frames_of) {
    std::string line = tracepoint_name(number, locations, symbols) + ": " + fxt::counted(frames, "frame");
    if (const auto all = locations.locations_of(number); !all.empty()) {
      const CollectItems items = collect_items(all.front().location->commands);
      line += ", " + fxt::counted(items.hit.size() + items.step.size(), "item");
    }
    if (const auto without = lacking.find(number); without != lacking.end())
      line += fmt::format(", {} without a typed value ({})", without->second.items, without->second.first);
    const auto counted = counted_.find(number);
    if (counted != counted_.end() && counted->second.unnamed > 0)
      line += ", " + fxt::counted(counted->second.unnamed, "block") + " of memory without a name";
    lines.push_back(std::move(line));
  }
  return lines;
}

FrameRecipes::FrameRecipes(const TraceRecording& recording, const ShownFrames& choice,
                           ImportContext& import_context)
    : recording_(recording),
      builder_(recording.trace, recording.locations, recording.symbols.get(), choice, import_context),
      details_(import_context.names) {}

Recipe& FrameRecipes::recipe_of(const Frame& frame, const FrameContext& context, const FrameTime& time,
                                bool can_repeat) {
  if (can_repeat)
    if (Recipe* const known = cache_.find(frame, context, time)) return *known;
  builder_.build(latest_, frame, context, time.is_synthetic);
  details_.add(frame.tracepoint, latest_);
  if (can_repeat) cache_.add(latest_, frame, context, time);
  return latest_;
}

std::vector<std::string> FrameRecipes::details() const {
  return details_.lines(recording_.locations, recording_.survey, recording_.symbols.get(),
                        builder_.values().lacking());
}

}  // namespace convert::tfile
