#include "converters/model/form.h"

#include <bit>
#include <fmt/format.h>

namespace convert {
namespace {

struct FromBits {
  std::uint64_t bits;
  Value operator()(std::int32_t) const { return static_cast<std::int32_t>(bits); }
  Value operator()(std::uint32_t) const { return static_cast<std::uint32_t>(bits); }
  Value operator()(std::int64_t) const { return static_cast<std::int64_t>(bits); }
  Value operator()(std::uint64_t) const { return bits; }
  Value operator()(double) const { return std::bit_cast<double>(bits); }
  Value operator()(Pointer) const { return Pointer{bits}; }
  template <typename Other>
  Value operator()(const Other& constant) const {
    return constant;
  }
};

}  // namespace

PlainEvent plain_event(const FormRecord& record, std::uint64_t time_ns,
                       std::span<const std::uint64_t> fields) {
  const auto field = [&](FieldIndex index) { return fields[static_cast<std::size_t>(index)]; };
  PlainEvent plain{};
  SlotKind kind = SlotKind::Blob;
  LabelId label{};
  if (const auto* const blob = std::get_if<FormBlob>(&record)) {
    plain.details.text = fmt::format("{}{}{}", blob->before, field(blob->number), blob->after);
    const auto bytes = std::as_bytes(fields.subspan(static_cast<std::size_t>(blob->first)));
    plain.details.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(blob->size_bytes));
  } else {
    const auto& event = std::get<FormEvent>(record);
    kind = event.kind;
    label = event.label;
    for (const FormArgument& argument : event.arguments)
      plain.details.arguments.push_back(
          {argument.name,
           argument.field ? std::visit(FromBits{field(*argument.field)}, argument.value) : argument.value});
  }
  plain.slot = {.time_ns = time_ns, .end_ns = 0, .label = label, .tag = Slot::tag_of(kind, DetailsId::None)};
  return plain;
}

}  // namespace convert
