#include "converters/tfile/events/shown_variables.h"

#include <fmt/format.h>
#include <string>

#include "converters/tfile/frames/frame_clock.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kCategory = "variable";

// Names of unknown variables are interned only so often: a file may have any number of them.
constexpr std::size_t kMaxVariables = 65536;

constexpr std::uint64_t kLow = 64;

}  // namespace

ShownVariables::ShownVariables(const Description& description, Names& names) : names_(names) {
  const auto clock = StampReader(description).variable();
  for (const Variable& known : description.variables) {
    const std::string name = "$" + known.name;
    variables_[known.number] = {.name = names_.intern(name),
                                .label = names_.intern_label(kCategory, name),
                                .is_counter = known.number != clock};
  }
  low_.resize(kLow);
  for (auto& [number, shown] : variables_)
    if (number < kLow) low_[number] = &shown;
}

ShownVariables::Shown& ShownVariables::variable(std::uint64_t number) {
  if (number < kLow && low_[number] != nullptr) return *low_[number];
  const auto found = variables_.find(number);
  if (found != variables_.end()) return found->second;
  // Too many unknown ones share one name.
  const bool is_too_many = variables_.size() >= kMaxVariables;
  const std::string name = is_too_many ? "$unknown" : fmt::format("$variable_{}", number);
  return variables_[is_too_many ? ~std::uint64_t{0} : number] = {
             .name = names_.intern(name), .label = names_.intern_label(kCategory, name)};
}

void ShownVariables::collect(const Frame& frame) {
  in_frame_.clear();
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::Variable) continue;
    Shown& shown = variable(block.address);
    if (shown.frame == frame.number) {
      shown.earlier.push_back(shown.latest->value);
    } else {
      shown.frame = frame.number;
      shown.earlier.clear();
      in_frame_.push_back(&shown);
    }
    shown.latest = &block;
  }
}

void ShownVariables::add(FramePlan& plan, const Frame& frame) {
  collect(frame);
  for (const Shown* shown : in_frame_) {
    plan.add_number(shown->name, Reading::Signed, shown->latest->bytes);
    // Which of the earlier values are shown depends on what they are.
    if (!shown->earlier.empty()) plan.set_for_one_frame();
    std::size_t count = 0;
    for (const std::int64_t earlier : shown->earlier) {
      constexpr std::size_t kMaxEarlier = 16;  // named one by one
      ++count;
      if (earlier == shown->latest->value || count > kMaxEarlier) continue;
      const std::string name = fmt::format("{} ({})", names_.text(shown->name), count);
      plan.add_own({names_.intern(name), earlier});
    }
  }
}

void ShownVariables::add_counters(FramePlan& plan) const {
  for (const Shown* shown : in_frame_)
    if (shown->is_counter) plan.add_counter(shown->label, shown->name, shown->latest->bytes);
}

}  // namespace convert::tfile
