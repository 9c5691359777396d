// The names and source lines of frames. The names are cached by pc, because the same few addresses are hit
// again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "converters/model/names/names.h"
#include "converters/tfile/program/program_check.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

inline constexpr std::string_view kTracepointCategory = "tracepoint";

struct CodeName {
  LabelId label{};
  std::string source = {};   // "file:line"; empty: unknown
  std::string inlined = {};  // "inner < outer" if functions are inlined
};

class CodeNames {
 public:
  // `symbols` may be null.
  CodeNames(Names& names, const ProgramSymbols* symbols) : names_(names), symbols_(symbols) {}

  // Returns the name of a frame: the function at the pc. If functions are inlined there, the name of a step
  // is the innermost function. The name of a hit is the function that the tracepoint's location names, or
  // else the innermost function. If no function is known, the name of a step is "step". The name of a hit is
  // then the text of its location, or "tracepoint 3" if `location` is null. Valid until the next call.
  const CodeName& name_of(const Frame& frame, const FrameContext& context,
                          const TracepointLocation* location);

 private:
  static constexpr std::size_t kMaxCached = 65536;

  using Key = std::tuple<std::optional<std::uint64_t>, std::int16_t, bool>;  // pc, tracepoint, is a step

  Names& names_;
  const ProgramSymbols* symbols_;
  std::map<Key, CodeName> cache_;
};

inline std::string name_by_location(const Frame& frame, bool is_step, const TracepointLocation* location) {
  if (is_step) return "step";
  if (location == nullptr) return fmt::format("tracepoint {}", frame.tracepoint);
  return location->at.empty() ? fmt::format("*{:#x}", location->address) : location_text(location->at);
}

inline const CodeName& CodeNames::name_of(const Frame& frame, const FrameContext& context,
                                          const TracepointLocation* location) {
  const Key key{context.pc, frame.tracepoint, context.is_step};
  if (const auto found = cache_.find(key); found != cache_.end()) return found->second;
  if (cache_.size() >= kMaxCached) cache_.clear();

  CodeName name{
      .label = names_.intern_label(kTracepointCategory, name_by_location(frame, context.is_step, location))};
  if (symbols_ != nullptr && context.pc) {
    CodeInfo info = symbols_->code_at(*context.pc);
    if (location != nullptr && !context.is_step)  // steps are not at the tracepoint
      if (std::string meant = function_meant(location->at, info); !meant.empty())
        info.function = std::move(meant);
    if (!info.function.empty()) name.label = names_.intern_label(kTracepointCategory, info.function);
    name.source = info.source;
    for (const std::string& function : info.inlined)
      name.inlined += name.inlined.empty() ? function : " < " + function;
  }
  return cache_.emplace(key, std::move(name)).first->second;
}

}  // namespace convert::tfile
