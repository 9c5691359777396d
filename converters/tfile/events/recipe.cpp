#include "converters/tfile/events/recipe.h"

#include <algorithm>
#include <fmt/format.h>

namespace convert::tfile {
namespace {

constexpr std::string_view kFrameBlobs = "gdb/frame/";
constexpr std::size_t kMaxDigits = 20;  // digits of a frame's number
constexpr std::size_t kBlobPrefixRoom = kFrameBlobs.size() + kMaxDigits;

}  // namespace

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

Recipe::Record& Recipe::new_record(LabelId label) {
  if (records_used_ == records_.size()) records_.emplace_back();
  Record& record = records_[records_used_++];
  record.label = label;
  record.arguments.clear();
  return record;
}

std::size_t Recipe::run(std::span<const std::byte> bytes, std::uint64_t number, std::endian order,
                        std::uint64_t time_ns, Lane& lane) {
  blobs_.set_number(number);
  for (const ValueSlot& slot : slots_)
    fill(slot, bits_of(slot.form, bytes.subspan(slot.part.offset, slot.part.size), order));

  std::size_t lane_bytes = 0;
  // Further records are nested in the first one, so that a user can click each of them.
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
      lane.keep_open();
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

void Recipe::set_text(const ValueSlot& slot, std::uint64_t bits) {
  Arguments& arguments = records_[slot.record].arguments;
  const auto text = slot.flags != nullptr ? number_texts_->register_text(*slot.flags, bits)
                                          : number_texts_->pointer_text(slot.form, bits);
  const auto name = static_cast<NameId>(PackedHeader::Name::get(arguments.words()[slot.word - 1]));
  arguments.set_bits(slot.word - 1,
                     PackedHeader::of(name, text ? ArgumentKind::Name : ArgumentKind::Pointer));
  arguments.set_bits(slot.word, text ? static_cast<std::uint32_t>(*text) : bits);
}

}  // namespace convert::tfile
