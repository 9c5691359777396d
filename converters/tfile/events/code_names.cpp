#include "converters/tfile/events/code_names.h"

#include <fmt/format.h>

#include "converters/tfile/description/spoken_location.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kStep = "step";

}  // namespace

const CodeName& CodeNames::of(const Frame& frame, const Placement& placement) {
  const std::uint32_t number = static_cast<std::uint16_t>(frame.tracepoint);
  const Key key{placement.pc.value_or(0), number * 4 + (placement.is_step ? 2 : 0) + (placement.pc ? 1 : 0)};
  if (const auto found = remembered_.find(key); found != remembered_.end()) return found->second;
  if (remembered_.size() >= kMaxRemembered) remembered_.clear();

  CodeName name = by_location(frame, placement);
  if (symbols_ != nullptr && placement.pc) {
    const CodePlace place = symbols_->code_at(*placement.pc);
    if (!place.function.empty()) name.label = names_.intern_label(kTracepointCategory, place.function);
    name.source = place.source;
    for (const std::string& function : place.inlined)
      name.inlined += name.inlined.empty() ? function : " < " + function;
  }
  return remembered_.emplace(key, std::move(name)).first->second;
}

CodeName CodeNames::by_location(const Frame& frame, const Placement& placement) {
  CodeName name;
  if (placement.is_step) {
    name.label = names_.intern_label(kTracepointCategory, kStep);
    return name;
  }
  const auto entries = locations_.of(frame.tracepoint);
  const TracepointLocation* location = placement.entry != nullptr ? placement.entry->location
                                       : !entries.empty()         ? entries.front().location
                                                                  : nullptr;
  if (location == nullptr)
    name.label = names_.intern_label(kTracepointCategory, fmt::format("tracepoint {}", frame.tracepoint));
  else if (location->at.empty())
    name.label = names_.intern_label(kTracepointCategory, fmt::format("*{:#x}", location->address));
  else
    name.label = names_.intern_label(kTracepointCategory, spoken_location(location->at));
  return name;
}

}  // namespace convert::tfile
