#include "converters/tfile/events/frame_form.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "converters/model/lane.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

constexpr FieldIndex kFrameNumber{0};

bool is_number_size(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

bool is_plain_text(std::string_view text) {
  return text.size() <= kMaxFormText &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

void FrameForm::fill(std::span<const std::byte> bytes, std::uint64_t frame, std::endian order,
                     std::uint64_t* fields) const {
  fields[static_cast<std::size_t>(kFrameNumber)] = frame;
  for (const Part& part : parts_) {
    const auto from = bytes.subspan(part.offset, part.size);
    std::uint64_t* const field = fields + part.field;
    switch (part.kind) {
      case Kind::Signed:
        *field = signed_bits(from, order);
        break;
      case Kind::Unsigned:
        *field = unsigned_bits(from, order);
        break;
      case Kind::Float:
        *field = float_bits(from, order);
        break;
      case Kind::Bytes:
        std::memcpy(field, from.data(), part.size);
        break;
    }
  }
}

FieldIndex FormDraft::add_part(FrameForm::Kind kind, std::span<const std::byte> source) {
  constexpr std::size_t kFieldBytes = sizeof(std::uint64_t);
  const auto first = static_cast<std::uint32_t>(form_.fields_);
  form_.parts_.push_back({.kind = kind,
                          .size = static_cast<std::uint32_t>(source.size()),
                          .offset = static_cast<std::size_t>(source.data() - frame_.data()),
                          .field = first});
  form_.fields_ += (source.size() + kFieldBytes - 1) / kFieldBytes;
  return FieldIndex{first};
}

FormArgument FormDraft::form_argument(const Argument& argument, std::span<const std::byte> source) {
  using Kind = FrameForm::Kind;
  const Value& value = argument.value;
  if (const auto* const text = std::get_if<std::string>(&value);
      text != nullptr && (!source.empty() || !is_plain_text(*text)))
    refuse();
  FormArgument form{.name = argument.name, .value = value};
  if (source.empty() || is_refused_) return form;
  const bool is_signed =
      std::holds_alternative<std::int32_t>(value) || std::holds_alternative<std::int64_t>(value);
  const Kind kind = is_signed                               ? Kind::Signed
                    : std::holds_alternative<double>(value) ? Kind::Float
                                                            : Kind::Unsigned;
  if (!is_number_size(source.size()))
    refuse();
  else
    form.field = add_part(kind, source);
  return form;
}

void FormDraft::add(const Argument& argument, std::span<const std::byte> source) {
  arguments_.push_back(form_argument(argument, source));
  if (arguments_.size() == 1) arguments_.front().field = kFrameNumber;
}

void FormDraft::add_blob(std::string_view before, std::string_view after, std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxFormBlobBytes) {
    refuse();
    return;
  }
  ++blobs_;
  others_.push_back(FormBlob{.before = std::string(before),
                             .number = kFrameNumber,
                             .after = std::string(after),
                             .first = add_part(FrameForm::Kind::Bytes, bytes),
                             .size_bytes = bytes.size()});
}

void FormDraft::add_counter(LabelId label, const Argument& argument, std::span<const std::byte> source) {
  others_.push_back(
      FormEvent{.kind = SlotKind::Counter, .label = label, .arguments = {form_argument(argument, source)}});
}

std::optional<FrameForm> FormDraft::finish(Names& names) {
  if (is_refused_ || arguments_.size() > kArgumentsPerRecord || others_.size() >= Form::kMaxRecords)
    return std::nullopt;
  Form form{.records = {}, .fields = form_.fields_};
  form.records.push_back(
      FormEvent{.kind = SlotKind::Instant, .label = label_, .arguments = std::move(arguments_)});
  std::ranges::move(others_, std::back_inserter(form.records));
  form_.id_ = names.add_form(std::move(form));
  return std::move(form_);
}

}  // namespace convert::tfile
