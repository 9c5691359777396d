#include "converters/tfile/events/code_names.h"

#include <fmt/format.h>

namespace convert::tfile {

const CodeName& CodeNames::of(const Frame& frame, const FrameContext& context) {
  const std::uint32_t number = static_cast<std::uint16_t>(frame.tracepoint);
  const Key key{context.pc.value_or(0), number * 4 + (context.is_step ? 2 : 0) + (context.pc ? 1 : 0)};
  if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  if (cache_.size() >= kMaxCached) cache_.clear();

  CodeName name{.label = names_.intern_label(kTracepointCategory, name_by_location(frame, context))};
  if (symbols_ != nullptr && context.pc) {
    const CodeInfo info = symbols_->code_at(*context.pc);
    if (!info.function.empty()) name.label = names_.intern_label(kTracepointCategory, info.function);
    name.source = info.source;
    for (const std::string& function : info.inlined)
      name.inlined += name.inlined.empty() ? function : " < " + function;
  }
  return cache_.emplace(key, std::move(name)).first->second;
}

std::string CodeNames::name_by_location(const Frame& frame, const FrameContext& context) const {
  if (context.is_step) return "step";
  const auto locations = locations_.of(frame.tracepoint);
  const ExpectedFrames* const expected = context.location != nullptr ? context.location
                                         : !locations.empty()        ? &locations.front()
                                                                     : nullptr;
  if (expected == nullptr) return fmt::format("tracepoint {}", frame.tracepoint);
  const TracepointLocation& location = *expected->location;
  return location.at.empty() ? fmt::format("*{:#x}", location.address) : location_text(location.at);
}

}  // namespace convert::tfile
