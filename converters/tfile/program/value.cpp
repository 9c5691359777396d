#include "converters/tfile/program/value.h"

#include <algorithm>

namespace convert::tfile {
namespace {

using TypeKind = Type::Kind;

constexpr std::size_t kMaxResolvedDepth = 64;
constexpr std::uint64_t kMaxCount = ~std::uint32_t{0};
// In arrays with more elements, an element type that depends on the frame is not resolved.
constexpr std::int64_t kMaxElements = 32;

// The type that all elements of an array have in the frame; null if they differ. `first` is the first
// element.
const Type* type_of_all(const Value& first, std::int64_t count, const EvaluationContext& context,
                        std::size_t depth) {
  const Type* common = nullptr;
  for (std::int64_t i = 0; i < count; ++i) {
    Value element = part_of(first, first.type, static_cast<std::uint64_t>(i) * first.type->size);
    const Type* const type = resolved(std::move(element), context, depth + 1).type;
    if (i > 0 && type != common) return nullptr;
    common = type;
  }
  return common;
}

// Returns the array with the indices that it has in this frame. If these are unknown, returns `value`.
// `whole` is the address of the structure that contains the array.
Value resolved_array(Value value, const EvaluationContext& context, std::size_t depth,
                     std::optional<std::uint64_t> whole = std::nullopt) {
  const Type& type = *value.type;
  std::optional<std::uint64_t> object;
  if (value.storage.kind == Storage::Kind::Memory) object = value.storage.address;
  const auto index = [&](const std::optional<Dwarf_Attribute>& attribute) -> std::optional<std::int64_t> {
    const auto bits =
        attribute ? number_of(*attribute, context.scope, context.frame, object, whole) : std::nullopt;
    if (!bits) return std::nullopt;
    // Indices of 4 bytes may be negative.
    return *bits <= ~std::uint32_t{0} ? std::int64_t{static_cast<std::int32_t>(*bits)}
                                      : static_cast<std::int64_t>(*bits);
  };
  const auto first = type.first_attribute ? index(type.first_attribute) : type.first;
  auto count = type.count_attribute ? index(type.count_attribute) : static_cast<std::int64_t>(type.count);
  if (const auto last = index(type.last_attribute); first && type.last_attribute)
    count = last ? std::optional(*last - *first + 1) : std::nullopt;
  if (!first || !count || std::cmp_greater(*count, kMaxCount)) return value;
  const Type* element = type.target;
  if (element->kind == TypeKind::Array) element = resolved({element, value.storage}, context, depth + 1).type;
  if (type.stride_attribute &&
      number_of(*type.stride_attribute, context.scope, context.frame, object, whole) != element->size)
    return value;
  if (type.data_attribute && object) {
    const auto data = number_of(*type.data_attribute, context.scope, context.frame, object);
    value.storage = data ? Storage::memory_at(*data) : Storage::none(Missing::NotRecorded);
  }
  if (element->kind == TypeKind::Struct && element->is_dynamic && *count > 0 && *count <= kMaxElements)
    if (const Type* const common = type_of_all({element, value.storage}, *count, context, depth))
      element = common;
  value.type = context.scope.info->types().array_of(
      element, static_cast<std::uint64_t>(std::max<std::int64_t>(*count, 0)), *first, type.is_fortran);
  return value;
}

// The variant that the discriminant in the frame chooses; null if it is not known.
const Type::Variant* variant_of(const Value& value, FrameMemory& frame) {
  const Type& type = *value.type;
  if (!type.discriminant) return type.variants.size() == 1 ? &type.variants.front() : nullptr;
  const Type::Member& which = *type.discriminant;
  const auto discriminant = integer_of(part_of(value, which.type, which.bit_offset / 8), frame);
  if (!discriminant) return nullptr;
  const std::uint64_t bits = 8 * which.type->size;
  const Type::Variant* other = nullptr;
  for (const Type::Variant& variant : type.variants) {
    if (variant.ranges.empty()) other = &variant;
    for (const auto& [first, last] : variant.ranges) {
      const auto number = static_cast<std::int64_t>(*discriminant);
      const bool is_first =
          extended(static_cast<std::uint64_t>(first), bits, false) == extended(*discriminant, bits, false);
      if (is_first || (first < number && number <= last)) return &variant;
    }
  }
  return other;
}

// Returns the structure with the members of its variant, and with the offsets of its virtual bases.
Value resolved_structure(const Value& value, const EvaluationContext& context, std::size_t depth) {
  const Type& type = *value.type;
  const Type::Variant* const variant = variant_of(value, context.frame);
  if (variant == nullptr && !type.variants.empty()) return value;
  std::vector<Type::Member> members = type.members;
  if (variant != nullptr) members.insert(members.end(), variant->members.begin(), variant->members.end());
  for (Type::Member& member : members) {
    if (member.location && value.storage.kind == Storage::Kind::Memory) {
      const std::uint64_t object = value.storage.address;
      const auto at = number_of(*member.location, context.scope, context.frame, object);
      if (at && *at - object <= kMaxCount) {
        member.bit_offset = 8 * (*at - object);
        member.location.reset();
      }
    }
    if (member.location || !member.type->is_dynamic) continue;
    Value part = part_of(value, member.type, member.bit_offset / 8);
    const bool is_array = member.type->kind == TypeKind::Array && value.storage.kind == Storage::Kind::Memory;
    if (member.type->data_attribute) {
      // The elements of such an array are usually elsewhere, and not part of the structure. But a short
      // string of Pascal is part of it: the array begins after a byte with the number of characters.
      if (!is_array) continue;
      const Value array = resolved_array(std::move(part), context, depth, value.storage.address);
      const std::uint64_t offset = array.storage.address - value.storage.address;
      if (array.storage.kind != Storage::Kind::Memory || array.type->data_attribute || offset > type.size ||
          array.type->size > type.size - offset)
        continue;
      member.type = array.type;
      member.bit_offset = 8 * offset;
    } else if (is_array) {
      member.type = resolved_array(std::move(part), context, depth, value.storage.address).type;
    } else {
      member.type = resolved(std::move(part), context, depth + 1).type;
    }
  }
  return {context.scope.info->types().with_members(&type, std::move(members)), value.storage};
}

}  // namespace

bool is_signed(const Type& type) {
  return type.kind == TypeKind::Signed || (type.kind == TypeKind::Enum && type.is_signed);
}

Value value_of(Dwarf_Die variable, const EvaluationContext& context) {
  const Type* const type = context.scope.info->types().type_of(variable);
  if (type == nullptr) return {};
  return resolved({type, locate(variable, type->size, context.scope, context.frame)}, context);
}

Value part_of(const Value& whole, const Type* type, std::uint64_t offset) {
  Value part{type, whole.storage};
  if (part.storage.kind == Storage::Kind::Memory) part.storage.address += offset;
  if (part.storage.kind != Storage::Kind::Bytes) return part;
  const std::uint64_t size = type->size, whole_size = part.storage.bytes.size();
  if (offset > whole_size || size > whole_size - offset)  // sizes in damaged DWARF may overflow
    return {type, Storage::none(Missing::NotUnderstood)};
  const auto cut = [&](auto& all) {
    if (all.empty()) return;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(offset + size), all.end());
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  cut(part.storage.bytes);
  cut(part.storage.known);
  return part;
}

Value resolved(Value value, const EvaluationContext& context, std::size_t depth) {
  constexpr std::uint64_t kWorkPerType = 16;
  if (value.type == nullptr || !value.type->is_dynamic || depth == kMaxResolvedDepth ||
      !context.frame.take_work(kWorkPerType))
    return value;
  return value.type->kind == TypeKind::Array ? resolved_array(std::move(value), context, depth)
                                             : resolved_structure(value, context, depth);
}

Value without_reference(const Value& value, const EvaluationContext& context) {
  if (value.type == nullptr || value.type->kind != Type::Kind::Reference) return value;
  const Type* const target = value.type->target;
  if (target == nullptr) return {};
  // In Ada, a pointer to an array is followed by a pointer to the array's bounds.
  const Type* const pointer = context.scope.info->types().pointer_to(target);
  const bool has_bounds = value.type->size > pointer->size;
  const auto address = integer_of(has_bounds ? part_of(value, pointer, 0) : value, context.frame);
  if (address && has_bounds)
    return {resolved({target, value.storage}, context).type,
            Storage::memory_at(context.frame.masked(*address))};
  if (address) return resolved({target, Storage::memory_at(context.frame.masked(*address))}, context);
  return {target, value.storage.unusable(Missing::NotRecorded)};
}

std::optional<std::uint64_t> integer_of(const Value& value, FrameMemory& frame) {
  if (value.type == nullptr || value.type->size == 0 || value.type->size > 8) return std::nullopt;
  std::span<const std::byte> bytes = value.storage.bytes;
  const std::uint64_t size =
      value.bit_size != 0 ? (value.bit_offset + value.bit_size + 7) / 8 : value.type->size;
  if (size > 8) return std::nullopt;
  if (value.storage.kind == Storage::Kind::Memory) {
    bytes = frame.read(value.storage.address, size);
  } else if (std::ranges::find(value.storage.known, false) != value.storage.known.end()) {
    return std::nullopt;
  }
  if (bytes.size() < size) return std::nullopt;
  const bool has_sign = is_signed(*value.type);
  std::uint64_t bits = unsigned_bits(bytes.first(size), frame.order());
  if (value.bit_size == 0) return extended(bits, 8 * size, has_sign);
  const std::uint64_t above = 8 * size - value.bit_offset - value.bit_size;
  bits >>= frame.order() == std::endian::little ? value.bit_offset : above;
  return extended(bits, value.bit_size, has_sign);
}

}  // namespace convert::tfile
