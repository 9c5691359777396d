#include "converters/tfile/events/emit_recipe.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "converters/tfile/description/collect_items.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kFrameBlobs = "gdb/frame/";
constexpr std::size_t kMaxDigits = 20;  // of a frame's number
constexpr std::size_t kBlobPrefixRoom = kFrameBlobs.size() + kMaxDigits;

// The value of a record's first argument follows a header word. Every record but counters begins with the
// frame's number.
constexpr std::size_t kFirstValueWord = 1;

bool is_number(ArgumentType type) {
  return type == ArgumentType::Int64 || type == ArgumentType::Uint64 || type == ArgumentType::Double;
}

// Trace state variables are counters anyway; a frame's own arguments are about the frame.
bool is_of_program(std::string_view name) { return !name.starts_with('$') && !is_own_argument(name); }

}  // namespace

LabelId ContinuedLabels::of(LabelId label, std::size_t nth) {
  const auto [found, is_new] = labels_.try_emplace({label, nth});
  if (is_new) {
    const Names::Label parts = names_.label(label);
    const std::string name = fmt::format("{} ({})", names_.text(parts.name), nth);
    found->second = names_.intern_label(parts.category, names_.intern(name));
  }
  return found->second;
}

std::optional<LabelId> Plots::counter_of(const Argument& argument) {
  const auto [found, is_new] = counters_.try_emplace({argument.name, argument.type});
  const std::string_view name = names_.text(argument.name);
  const auto plots_it = [&](const std::string& item) { return is_item(item, name, argument.type); };
  if (is_new && std::ranges::any_of(items_, plots_it)) found->second = names_.intern_label("value", name);
  return found->second;
}

bool Plots::is_item(std::string_view item, std::string_view name, ArgumentType type) {
  if (!is_of_program(name)) return false;
  if (item == "all") return is_number(type) && !name.starts_with("reg.") && !name.starts_with("mem.");
  if (!name.starts_with(item) || !(is_number(type) || type == ArgumentType::Pointer)) return false;
  return name.size() == item.size() || name[item.size()] == '.' || name[item.size()] == '[';
}

std::vector<std::string> Plots::missing() const {
  constexpr std::size_t kMaxListed = 16;
  std::set<std::string_view> numbers;
  for (const auto& [argument, counter] : counters_)
    if (is_number(argument.second) && is_of_program(names_.text(argument.first)))
      numbers.insert(names_.text(argument.first));
  std::string known = numbers.empty() ? "no numbers" : "";
  std::size_t listed = 0;
  for (const std::string_view number : numbers)
    if (listed++ < kMaxListed) known += fmt::format("{}{}", listed == 1 ? "" : ", ", number);
  if (numbers.size() > kMaxListed) known += fmt::format(" and {} more", numbers.size() - kMaxListed);
  std::vector<std::string> missing;
  for (const std::string& item : items_)
    if (std::ranges::none_of(counters_, [&](const auto& counter) {
          return is_item(item, names_.text(counter.first.first), counter.first.second);
        }))
      missing.push_back(fmt::format("`{}`: frames have {}", item, known));
  return missing;
}

void FrameBlobs::clear() {
  blobs_.clear();
  parts_.clear();
  texts_.clear();
  tens_ = kNoTens;
}

void FrameBlobs::add(std::string_view suffix) {
  texts_.append(kBlobPrefixRoom, ' ');
  blobs_.push_back(
      {.suffix_begin = texts_.size(), .suffix_size = suffix.size(), .first_part = parts_.size()});
  texts_ += suffix;
}

void FrameBlobs::set_all_digits(std::uint64_t number) {
  tens_ = number / 10;
  const fmt::format_int digits(number);
  digits_ = digits.size();
  for (const Blob& blob : blobs_) {
    char* const begin = texts_.data() + blob.suffix_begin - digits_;
    std::copy_n(digits.data(), digits_, begin);
    std::ranges::copy(kFrameBlobs, begin - kFrameBlobs.size());
  }
}

std::size_t FrameBlobs::emit(std::span<const std::byte> frame, std::uint64_t time_ns, Lane& lane) {
  std::size_t lane_bytes = 0;
  const std::size_t prefix_size = kFrameBlobs.size() + digits_;
  for (const Blob& blob : blobs_) {
    const std::string_view name(texts_.data() + blob.suffix_begin - prefix_size,
                                prefix_size + blob.suffix_size);
    const FramePart& first = parts_[blob.first_part];
    const auto content = blob.parts == 1 ? frame.subspan(first.offset, first.size) : join(blob, frame);
    lane.blob(time_ns, name, content);
    lane_bytes += sizeof(PendingEvent) + kFrameBlobs.size() + blob.suffix_size + content.size();
  }
  return lane_bytes;
}

std::span<const std::byte> FrameBlobs::join(const Blob& blob, std::span<const std::byte> frame) {
  joined_.clear();
  for (const FramePart& part : std::span(parts_).subspan(blob.first_part, blob.parts)) {
    const auto bytes = frame.subspan(part.offset, part.size);
    joined_.insert(joined_.end(), bytes.begin(), bytes.end());
  }
  return joined_;
}

void EmitRecipe::start(const Frame& frame, NameId frame_name, LabelId label, bool opens_call,
                       ContinuedLabels& continued, Plots& plots, NumberTexts& texts) {
  number_texts_ = &texts;
  building_.frame = frame.bytes;
  building_.frame_name = frame_name;
  building_.label = label;
  building_.continued = &continued;
  building_.plots = plots.empty() ? nullptr : &plots;
  building_.plotted.clear();
  opens_call_ = opens_call;
  is_for_one_frame_ = false;
  hit_records_ = records_used_ = 0;
  slots_.clear();
  blobs_.clear();
  new_record(label).arguments.add({frame_name, std::uint64_t{0}});
  hit_records_ = 1;
}

EmitRecipe::Record& EmitRecipe::new_record(LabelId label) {
  if (records_used_ == records_.size()) records_.emplace_back();
  Record& record = records_[records_used_++];
  record.label = label;
  record.arguments.clear();
  return record;
}

void EmitRecipe::add(const Argument& argument) {
  add_argument(argument);
  if (building_.plots != nullptr) plot(argument, kConstant);
}

void EmitRecipe::add_argument(const Argument& argument) {
  if (records_[hit_records_ - 1].arguments.size() == building_.continued->arguments_per_call()) {
    ++hit_records_;
    const LabelId label = building_.continued->of(building_.label, hit_records_);
    new_record(label).arguments.add({building_.frame_name, std::uint64_t{0}});
  }
  records_[hit_records_ - 1].arguments.add(argument);
}

void EmitRecipe::add_number(NameId name, ValueForm form, std::span<const std::byte> bytes,
                            const Register* flags) {
  const Argument argument(name, type_of(form), 0);
  add_argument(argument);
  const auto record = static_cast<std::uint32_t>(hit_records_ - 1);
  const std::size_t words = records_[record].arguments.words().size();
  slots_.push_back({record, static_cast<std::uint32_t>(words - 1), part_of(bytes), form, flags});
  if (building_.plots != nullptr) plot(argument, slots_.size() - 1);
}

void EmitRecipe::plot(const Argument& argument, std::size_t slot) {
  if (const auto counter = building_.plots->counter_of(argument))
    building_.plotted.push_back({*counter, argument, slot});
}

void EmitRecipe::add_plots() {
  for (const Plotted& plotted : building_.plotted) {
    const auto record = static_cast<std::uint32_t>(records_used_);
    Argument argument = plotted.argument;
    if (argument.type == ArgumentType::Pointer) argument.type = ArgumentType::Uint64;  // counters are numbers
    new_record(plotted.counter).arguments.add(argument);
    if (plotted.slot == kConstant) continue;
    const ValueSlot& slot = slots_[plotted.slot];
    const bool is_pointer = plotted.argument.type == ArgumentType::Pointer;
    slots_.push_back({record, kFirstValueWord, slot.part, is_pointer ? ValueForm::Pointer : slot.form});
  }
}

void EmitRecipe::add_counter(LabelId label, NameId name, std::span<const std::byte> bytes) {
  const auto record = static_cast<std::uint32_t>(records_used_);
  new_record(label).arguments.add({name, std::int64_t{0}});
  slots_.push_back({record, kFirstValueWord, part_of(bytes), ValueForm::Signed});
}

std::size_t EmitRecipe::run(std::span<const std::byte> bytes, std::uint64_t number, std::endian order,
                            std::uint64_t time_ns, Lane& lane) {
  blobs_.set_number(number);
  for (const ValueSlot& slot : slots_)
    fill(slot, bits_of(slot.form, bytes.subspan(slot.part.offset, slot.part.size), order));

  std::size_t lane_bytes = 0;
  // Further records nest in the first one, so that each can be clicked.
  std::size_t begun = 0;
  for (std::size_t i = 0; i < hit_records_; ++i) {
    const LabelId label = records_[i].label;
    Arguments& arguments = records_[i].arguments;
    arguments.set_bits(kFirstValueWord, number);
    lane_bytes += sizeof(PendingEvent) + arguments.words().size_bytes();
    const bool is_last = i + 1 == hit_records_;
    if (is_last && arguments.size() <= lane.options().limits.arguments_per_record &&
        !(i == 0 && opens_call_)) {
      lane.instant(time_ns, label, arguments);
    } else {
      lane.begin(time_ns, label, 0, arguments);
      ++begun;
    }
  }
  for (std::size_t open = opens_call_ ? 1 : 0; open < begun; ++open) lane.end(time_ns);
  lane_bytes += blobs_.emit(bytes, time_ns, lane);
  for (std::size_t i = hit_records_; i < records_used_; ++i) {
    lane.counter(time_ns, records_[i].label, 0, records_[i].arguments);
    lane_bytes += sizeof(PendingEvent) + records_[i].arguments.words().size_bytes();
  }
  return lane_bytes;
}

void EmitRecipe::set_text(const ValueSlot& slot, std::uint64_t bits) {
  Arguments& arguments = records_[slot.record].arguments;
  const auto text =
      slot.flags != nullptr ? number_texts_->of_flags(*slot.flags, bits) : number_texts_->of(slot.form, bits);
  const auto name = static_cast<NameId>(ArgumentHeader::Name::get(arguments.words()[slot.word - 1]));
  arguments.set_bits(slot.word - 1,
                     ArgumentHeader::of(name, text ? ArgumentType::Name : ArgumentType::Pointer));
  arguments.set_bits(slot.word, text ? static_cast<std::uint32_t>(*text) : bits);
}

}  // namespace convert::tfile
