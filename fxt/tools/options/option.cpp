#include "fxt/tools/options/option.h"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fxt/quantity_text.h"

namespace fxt::tools {
namespace {

std::optional<std::uint64_t> parse_whole(std::string_view digits, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

std::function<void(std::string_view)> into(bool& is_given) {
  return [&is_given](std::string_view) { is_given = true; };
}

std::function<void(std::string_view)> into(std::filesystem::path& path) {
  return [&path](std::string_view text) { path = text; };
}

std::function<void(std::string_view)> into(std::vector<std::string>& values) {
  return [&values](std::string_view text) { values.emplace_back(text); };
}

std::uint64_t parse_count(std::string_view option, std::string_view text) {
  if (const auto count = parse_whole(text, 10)) return *count;
  throw UsageError(fmt::format("--{} takes a number, not '{}'", option, text));
}

std::uint64_t parse_address(std::string_view option, std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  if (const auto address = parse_whole(is_hex ? text.substr(2) : text, is_hex ? 16 : 10)) return *address;
  throw UsageError(fmt::format("--{} takes an address, not '{}'", option, text));
}

std::uint64_t parse_time_ns(std::string_view option, std::string_view text) {
  if (const auto time_ns = fxt::parse_time_ns(text)) return *time_ns;
  throw UsageError(fmt::format("--{} takes {}, not '{}'", option, fxt::kTimeForm, text));
}

TimeRange parse_range(std::string_view option, std::string_view text) {
  try {
    return parse_time_range(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--{}: {}", option, error.what()));
  }
}

void refuse_word(std::string_view option, std::string_view text, const std::vector<std::string>& known) {
  throw UsageError(fmt::format("--{} takes one of {}, not '{}'", option, fmt::join(known, ", "), text));
}

}  // namespace fxt::tools
