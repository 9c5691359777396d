#include "converters/tfile/events/recipe_draft.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

#include "converters/tfile/description/argument_name.h"

namespace convert::tfile {
namespace {

bool is_number(ArgumentKind kind) {
  return kind == ArgumentKind::Int64 || kind == ArgumentKind::Uint64 || kind == ArgumentKind::Double;
}

// True if an argument shows a value of the program. Other arguments are not plotted: trace state variables
// have counters anyway, and a frame's own arguments describe the frame.
bool is_of_program(std::string_view name) { return !name.starts_with('$') && !is_own_argument(name); }

}  // namespace

LabelId ContinuedLabels::label_of(LabelId label, std::size_t nth) {
  const auto [found, is_new] = labels_.try_emplace({label, nth});
  if (is_new) {
    const Names::Label parts = names_.label(label);
    const std::string name = fmt::format("{} ({})", names_.text(parts.name), nth);
    found->second = names_.intern_label(parts.category, names_.intern(name));
  }
  return found->second;
}

bool Plots::has(const Argument& argument) {
  const auto [found, is_new] = is_plotted_.try_emplace({argument.name, argument.kind});
  const std::string_view name = names_.text(argument.name);
  const auto plots_it = [&](const std::string& item) { return is_item(item, name, argument.kind); };
  if (is_new) found->second = std::ranges::any_of(items_, plots_it);
  return found->second;
}

bool Plots::is_item(std::string_view item, std::string_view name, ArgumentKind kind) {
  if (!is_of_program(name)) return false;
  if (item == "all") return is_number(kind) && !name.starts_with("reg.") && !name.starts_with("mem.");
  if (!name.starts_with(item) || !(is_number(kind) || kind == ArgumentKind::Pointer)) return false;
  return name.size() == item.size() || name[item.size()] == '.' || name[item.size()] == '[';
}

std::vector<std::string> Plots::missing() const {
  constexpr std::size_t kMaxListed = 16;
  std::set<std::string_view> numbers;
  for (const auto& [argument, is_plotted] : is_plotted_)
    if (is_number(argument.second) && is_of_program(names_.text(argument.first)))
      numbers.insert(names_.text(argument.first));
  std::string known = numbers.empty() ? "the frames have no numbers" : "the frames have these numbers: ";
  std::size_t listed = 0;
  for (const std::string_view number : numbers)
    if (listed++ < kMaxListed) known += fmt::format("{}{}", listed == 1 ? "" : ", ", number);
  if (numbers.size() > kMaxListed) known += fmt::format(" and {} more", numbers.size() - kMaxListed);
  std::vector<std::string> missing;
  for (const std::string& item : items_)
    if (std::ranges::none_of(is_plotted_, [&](const auto& argument) {
          return is_item(item, names_.text(argument.first.first), argument.first.second);
        }))
      missing.push_back(fmt::format("`{}`: {}", item, known));
  return missing;
}

const std::vector<NameId>& WholeNames::wholes_of(NameId part) {
  const auto [found, is_new] = wholes_.try_emplace(part);
  if (is_new) {
    const std::string name(names_.text(part));
    for (std::size_t end = name.find_first_of(".["); end != std::string::npos;
         end = name.find_first_of(".[", end + 1))
      found->second.push_back(names_.intern(std::string_view(name).substr(0, end)));
  }
  return found->second;
}

void WholeNames::rename_wholes(Arguments& arguments) {
  for (const Argument& part : arguments) {
    for (const NameId whole : wholes_of(part.name)) {
      const ArgumentRow row = arguments.row();
      const auto found = std::ranges::find(row, whole, &Argument::name);
      if (found == row.end()) continue;
      const NameId name = names_.intern(fmt::format("{} (whole)", names_.text(whole)));
      const auto word = static_cast<std::size_t>(found.word() - row.words().data());
      arguments.set_bits(word, PackedHeader::Name::put(static_cast<std::uint32_t>(name)) |
                                   (*found.word() & ~PackedHeader::Name::kMask));
    }
  }
}

void RecipeDraft::start(Recipe& recipe, FrameMemory& memory, LabelId label, bool opens_call) {
  recipe_ = &recipe;
  memory_ = &memory;
  label_ = label;
  plotted_.clear();
  recipe.number_texts_ = &texts_;
  recipe.opens_call_ = opens_call;
  recipe.is_reusable_ = false;
  recipe.hit_records_ = recipe.records_used_ = 0;
  recipe.slots_.clear();
  recipe.blobs_.clear();
  recipe.callers_.clear();
  recipe.new_record(label).arguments.add({frame_name_, std::uint64_t{0}});
  recipe.hit_records_ = 1;
}

// Bytes that were joined from several blocks have no single place in a frame.
FramePart RecipeDraft::part_of(const FrameBytes& bytes) {
  if (!bytes.is_in_frame()) throw std::logic_error("a recipe has bytes from several blocks");
  return {bytes.offset(), static_cast<std::uint32_t>(bytes.size())};
}

void RecipeDraft::add(const Argument& argument, const Argument& plotted) {
  add_argument(argument);
  if (!plots_.empty()) plot(plotted, kConstant);
}

void RecipeDraft::add_argument(const Argument& argument) {
  Recipe& recipe = *recipe_;
  if (recipe.records_[recipe.hit_records_ - 1].arguments.size() == continued_.arguments_per_call()) {
    ++recipe.hit_records_;
    const LabelId label = continued_.label_of(label_, recipe.hit_records_);
    recipe.new_record(label).arguments.add({frame_name_, std::uint64_t{0}});
  }
  recipe.records_[recipe.hit_records_ - 1].arguments.add(argument);
}

void RecipeDraft::add_number(NameId name, ValueForm form, const FrameBytes& bytes, const Register* flags) {
  const Argument argument(name, argument_kind(form), 0);
  add_argument(argument);
  const auto record = static_cast<std::uint32_t>(recipe_->hit_records_ - 1);
  const std::size_t words = recipe_->records_[record].arguments.words().size();
  recipe_->slots_.push_back({record, static_cast<std::uint32_t>(words - 1), part_of(bytes), form, flags});
  if (!plots_.empty()) plot(argument, recipe_->slots_.size() - 1);
}

void RecipeDraft::plot(const Argument& argument, std::size_t slot) {
  if (plots_.has(argument)) plotted_.push_back({argument, slot});
}

void RecipeDraft::add_counter(LabelId label, NameId name, const FrameBytes& bytes) {
  const auto record = static_cast<std::uint32_t>(recipe_->records_used_);
  recipe_->new_record(label).arguments.add({name, std::int64_t{0}});
  recipe_->slots_.push_back({record, Recipe::kFirstValueWord, part_of(bytes), ValueForm::Signed});
}

void RecipeDraft::finish() {
  for (std::size_t i = 0; i < recipe_->hit_records_; ++i)
    wholes_.rename_wholes(recipe_->records_[i].arguments);
  for (const Plotted& plotted : plotted_) {
    const auto record = static_cast<std::uint32_t>(recipe_->records_used_);
    Argument argument = plotted.argument;
    // A counter shows an address as a number.
    if (argument.kind == ArgumentKind::Pointer) argument.kind = ArgumentKind::Uint64;
    recipe_->new_record(plots_.label()).arguments.add(argument);
    if (plotted.slot == kConstant) continue;
    const Recipe::ValueSlot& slot = recipe_->slots_[plotted.slot];
    const bool is_pointer = plotted.argument.kind == ArgumentKind::Pointer;
    recipe_->slots_.push_back(
        {record, Recipe::kFirstValueWord, slot.part, is_pointer ? ValueForm::Pointer : slot.form});
  }
  recipe_->is_reusable_ = !memory_->was_looked_at();
}

}  // namespace convert::tfile
