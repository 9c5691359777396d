#include "converters/uftrace/arguments/enums.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "converters/model/reading/text.h"
#include "fxt/support/memory_limit.h"

namespace convert::uftrace {
namespace {

constexpr std::int64_t kMaxUnsigned = std::numeric_limits<std::uint32_t>::max();

// Parses a C literal: decimal, hexadecimal or octal, with an optional minus sign.
std::optional<std::int64_t> number_of(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const auto number = c_number(text);
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - *number : *number);
}

// Parses the text in braces. An enumerator without a value has the previous value plus 1. If the previous
// value needs 64 bits, uftrace uses only its lower 32 bits for this.
std::optional<std::vector<Enumerator>> enumerators_of(std::string_view list) {
  std::vector<Enumerator> enumerators;
  std::int64_t next = 0;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view one = trimmed(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (one.empty()) continue;  // after a trailing comma
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos) {
      const auto value = number_of(trimmed(one.substr(equals + 1)));
      if (!value) return std::nullopt;
      next = *value;
    }
    const std::string_view name = trimmed(one.substr(0, equals));
    if (name.empty()) return std::nullopt;
    enumerators.push_back({std::string(name), next});
    const bool is_long = next < std::numeric_limits<std::int32_t>::min() || next > kMaxUnsigned;
    next = (is_long ? static_cast<std::int32_t>(next) : next) + 1;
  }
  return enumerators;
}

}  // namespace

EnumType::EnumType(std::vector<Enumerator> enumerators, Names& names) : by_value_(std::move(enumerators)) {
  std::ranges::stable_sort(by_value_, std::greater<>(), &Enumerator::value);
  constexpr std::string_view kLongestRest = "+0xffffffffffffffff";
  longest_text_ = kLongestRest.size();
  for (Enumerator& one : by_value_) {
    one.name_id = names.intern(one.name);
    longest_text_ += one.name.size() + 1;  // plus a "|"
  }
}

const Enumerator* EnumType::find(std::int64_t value) const {
  const auto found = std::ranges::lower_bound(by_value_, value, std::greater<>(), &Enumerator::value);
  return found != by_value_.end() && found->value == value ? &*found : nullptr;
}

std::int64_t EnumType::wrap_at(std::int64_t value) const {
  if (by_value_.empty() || value < 0) return 0;
  for (const std::int64_t limit : {std::int64_t{1} << 8, std::int64_t{1} << 16})
    if (value < limit && by_value_.front().value < limit / 2 && by_value_.back().value >= -limit / 2)
      return limit;
  return 0;
}

bool EnumType::describe(std::int64_t value, std::string& text) const {
  constexpr std::size_t kMostNames = 64;  // enough for a name for each bit; other sums rarely need more
  const std::size_t before = text.size();
  const std::int64_t wrap = wrap_at(value);
  // `positives` and `negatives` are sorted from large to small. leave_out() removes the enumerators that are
  // larger than `rest`.
  const auto negative =
      std::ranges::partition_point(by_value_, [](const auto& one) { return one.value >= 0; });
  std::span<const Enumerator> positives(by_value_.begin(), negative);
  std::span<const Enumerator> negatives(negative, wrap != 0 || value < 0 ? by_value_.end() : negative);
  auto rest = static_cast<std::uint64_t>(value);
  for (std::size_t names = 0; rest != 0 && names != kMostNames; ++names) {
    const auto leave_out = [rest](std::span<const Enumerator>& list, std::int64_t added) {
      const auto first = std::ranges::partition_point(
          list, [=](const Enumerator& one) { return one.value + added > static_cast<std::int64_t>(rest); });
      list = list.subspan(static_cast<std::size_t>(first - list.begin()));
    };
    leave_out(positives, 0);
    leave_out(negatives, wrap);
    if (positives.empty() && negatives.empty()) break;
    const bool is_positive = negatives.empty() || (!positives.empty() &&
                                                   positives.front().value >= negatives.front().value + wrap);
    std::span<const Enumerator>& list = is_positive ? positives : negatives;
    fmt::format_to(std::back_inserter(text), "{}{}", text.size() == before ? "" : "|", list.front().name);
    rest -= static_cast<std::uint64_t>(list.front().value + (is_positive ? 0 : wrap));
    list = list.subspan(1);
  }
  if (text.size() == before) return false;
  if (rest != 0) fmt::format_to(std::back_inserter(text), "+{:#x}", rest);
  return true;
}

std::int64_t EnumType::value_of(std::uint64_t bits) const {
  const auto value = static_cast<std::int64_t>(bits);
  if (value > std::numeric_limits<std::int32_t>::max() && value <= kMaxUnsigned) {
    const bool has_negative = !by_value_.empty() && by_value_.back().value < 0;
    return has_negative ? static_cast<std::int32_t>(bits) : value;
  }
  const std::int64_t wrapped = value - wrap_at(value);
  return find(value) == nullptr && find(wrapped) != nullptr ? wrapped : value;
}

void parse_enums(std::string_view list, Names& names, EnumTypes& types, std::vector<std::string>& problems) {
  constexpr std::string_view kKeyword = "enum ";
  while (!trimmed(list).empty()) {
    fxt::check_memory();
    const std::size_t close = list.find('}');
    const std::string_view one = trimmed(list.substr(0, close));
    list.remove_prefix(std::min(close, list.size() - 1) + 1);
    while (list.starts_with(';') || list.starts_with(' ')) list.remove_prefix(1);
    const std::size_t open = one.find('{');
    auto enumerators =
        close != std::string_view::npos && open != std::string_view::npos && one.starts_with(kKeyword)
            ? enumerators_of(one.substr(open + 1))
            : std::nullopt;
    if (enumerators) {
      types.try_emplace(std::string(trimmed(one.substr(kKeyword.size(), open - kKeyword.size()))),
                        std::move(*enumerators), names);
    } else {
      problems.emplace_back(one);
    }
  }
}

}  // namespace convert::uftrace
