#include "converters/tfile/events/variable_arguments.h"

#include <fmt/format.h>
#include <string>

#include "converters/tfile/frames/frame_clock.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kCategory = "variable";

// A file may have any number of unknown variables, so only some of their names are interned.
constexpr std::size_t kMaxVariables = 65536;

constexpr std::uint64_t kLow = 64;  // numbers below this are found without hashing

}  // namespace

VariableArguments::VariableArguments(const Description& description, Names& names) : names_(names) {
  const auto clock = StampReader(description).variable();
  for (const TraceVariable& known : description.variables) {
    const std::string name = "$" + known.name;
    variables_[known.number] = {.name = names_.intern(name),
                                .label = names_.intern_label(kCategory, name),
                                .is_counter = known.number != clock};
  }
  low_.resize(kLow);
  for (auto& [number, shown] : variables_)
    if (number < kLow) low_[number] = &shown;
}

VariableArguments::Shown& VariableArguments::variable(std::uint64_t number) {
  if (number < kLow && low_[number] != nullptr) return *low_[number];
  const auto found = variables_.find(number);
  if (found != variables_.end()) return found->second;
  // Variables beyond the limit share one name.
  const bool is_too_many = variables_.size() >= kMaxVariables;
  const std::string name = is_too_many ? "$unknown" : fmt::format("$variable_{}", number);
  return variables_[is_too_many ? ~std::uint64_t{0} : number] = {
             .name = names_.intern(name), .label = names_.intern_label(kCategory, name)};
}

void VariableArguments::collect(const Frame& frame) {
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

void VariableArguments::add(EmitRecipe& recipe, const Frame& frame) {
  collect(frame);
  for (const Shown* shown : in_frame_) {
    recipe.add_number(shown->name, ValueForm::Signed, shown->latest->bytes);
    // Which earlier values are shown depends on the values.
    if (!shown->earlier.empty()) recipe.set_for_one_frame();
    std::size_t count = 0;
    for (const std::int64_t earlier : shown->earlier) {
      constexpr std::size_t kMaxEarlier = 16;
      ++count;
      if (earlier == shown->latest->value || count > kMaxEarlier) continue;
      const std::string name = fmt::format("{} ({})", names_.text(shown->name), count);
      recipe.add_own({names_.intern(name), earlier});
    }
  }
}

void VariableArguments::add_counters(EmitRecipe& recipe) const {
  for (const Shown* shown : in_frame_)
    if (shown->is_counter) recipe.add_counter(shown->label, shown->name, shown->latest->bytes);
}

}  // namespace convert::tfile
