#include "converters/uftrace/arguments/spec.h"

#include <algorithm>
#include <array>
#include <optional>

#include "converters/model/reading/text.h"
#include "fxt/support/memory_limit.h"
#include "fxt/utf8.h"

namespace convert::uftrace {
namespace {

// Words of triggers that may be between values. Any other word that is not a value is the name of a module.
constexpr std::array<std::string_view, 17> kTriggerWords{
    "filter", "notrace",   "depth=",   "time=",     "size=", "read=", "trace", "color=", "recover",
    "finish", "backtrace", "callsite", "auto-args", "hide",  "if:",   "clear", "caller"};

constexpr std::string_view kFormatLetters = "diuxocfsSpet";

std::optional<Format> format_of(char letter) {
  const std::size_t index = kFormatLetters.find(letter);
  return index == std::string_view::npos ? std::nullopt : std::optional(static_cast<Format>(index));
}

// Larger structs are rejected. They can't be in a recording, because a payload has at most 1020 bytes.
constexpr std::size_t kMaxStructSize = 1024;

class ItemParser {
 public:
  ItemParser(std::string_view text, const Machine& machine) : rest_(text), machine_(machine) {}

  // Parses `argN`, `fpargN` or `retval`. Returns false for other words.
  bool parse_kind(SpecItem& item) {
    item.size = machine_.word_size;
    if (consume_prefix(rest_, "retval")) return true;
    item.is_float = consume_prefix(rest_, "fparg");
    if (!item.is_float && !consume_prefix(rest_, "arg")) return false;
    if (rest_.empty() || !is_digit(rest_.front())) return false;
    item.number = consume_number<std::uint16_t>(rest_).value_or(0);
    if (item.is_float) set_float(item, sizeof(double));
    return true;
  }

  // Parses the format and the location. Returns false if one of them is damaged.
  bool parse_rest(SpecItem& item, bool is_return) {
    if (!is_return && item.number == 0) return false;
    if (consume_prefix(rest_, "/") && !parse_format(item)) return false;
    if (item.format == Format::Float) {
      item.location = {.kind = SpecLocation::Kind::Float, .number = item.number};
    } else {
      item.location = {.kind = SpecLocation::Kind::Index, .number = item.number};
    }
    if (consume_prefix(rest_, "%") && !parse_location(item.location)) return false;
    return rest_.empty();
  }

 private:
  static void set_float(SpecItem& item, std::size_t size) {
    item.format = Format::Float;
    item.size = size;
  }

  bool parse_format(SpecItem& item) {
    if (rest_.empty()) return false;
    if (is_digit(rest_.front())) return parse_bits(item);
    const auto format = format_of(rest_.front());
    if (!format) return false;
    rest_.remove_prefix(1);
    item.format = *format;
    switch (*format) {
      case Format::Char:
        item.size = 1;
        break;
      case Format::Float:
        item.size = sizeof(double);
        break;
      case Format::String:
      case Format::StdString:
        item.size = 0;
        break;
      case Format::Enum:
        return consume_prefix(rest_, ":") && parse_type_name(item);
      case Format::Struct:
        return parse_struct(item);
      default:
        break;
    }
    return rest_.empty() || !is_digit(rest_.front()) || parse_bits(item);
  }

  bool parse_bits(SpecItem& item) {
    const auto bits = consume_number<unsigned>(rest_);
    if (!bits) return false;
    constexpr unsigned kLongDouble = 80;
    if (*bits == kLongDouble) {
      item.size = machine_.has_long_doubles ? 10 : sizeof(double);
      return item.format == Format::Float;
    }
    if (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64) return false;
    if (item.format == Format::Float && *bits < 32) return false;
    // The size of a string is in the payload.
    if (item.format != Format::String && item.format != Format::StdString) item.size = *bits / 8;
    return true;
  }

  bool parse_type_name(SpecItem& item) {
    const std::size_t end = std::min(rest_.find('%'), rest_.size());
    item.type_name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return true;
  }

  bool parse_struct(SpecItem& item) {
    const auto size = consume_number<std::size_t>(rest_);
    if (!size || *size > kMaxStructSize) return false;
    item.size = *size;
    return !consume_prefix(rest_, ":") || parse_type_name(item);
  }

  bool parse_location(SpecLocation& location) {
    if (consume_prefix(rest_, "stack")) {
      location.kind = SpecLocation::Kind::Stack;
      consume_prefix(rest_, "+");
      const auto offset = consume_number<std::int32_t>(rest_);
      location.number = offset.value_or(0);
      rest_ = {};  // uftrace ignores the text after the offset
      return offset.has_value();
    }
    location.kind = SpecLocation::Kind::Register;
    location.number = 0;
    location.registers = fxt::lower(rest_);
    rest_ = {};
    return !location.registers.empty();
  }

  std::string_view rest_;
  const Machine& machine_;
};

void add_word(std::string_view word, const Machine& machine, SpecEntry& entry, SpecProblems& problems) {
  ItemParser parser(word, machine);
  SpecItem item;
  if (parser.parse_kind(item)) {
    if (parser.parse_rest(item, fxt::lower(word.front()) == 'r')) {
      entry.items.push_back(std::move(item));
    } else {
      problems.emplace_back(word);
    }
    entry.is_auto = false;
    return;
  }
  const bool is_trigger = std::ranges::any_of(kTriggerWords, [&](std::string_view known) {
    std::string_view rest = word;
    return consume_prefix(rest, known);
  });
  if (!is_trigger) entry.module = word;
}

}  // namespace

std::vector<SpecEntry> parse_specs(std::string_view list, const Machine& machine, SpecProblems& problems) {
  std::vector<SpecEntry> entries;
  split(list, ';', [&](std::string_view text) {
    fxt::check_memory();
    const std::size_t at = std::min(text.find('@'), text.size());
    SpecEntry entry;
    entry.pattern = text.substr(0, at);
    split(text.substr(std::min(at + 1, text.size())), ',',
          [&](std::string_view word) { add_word(word, machine, entry, problems); });
    entries.push_back(std::move(entry));
  });
  return entries;
}

std::vector<SpecItem> parse_spec_items(std::string_view items, const Machine& machine,
                                       SpecProblems& problems) {
  SpecEntry entry;
  if (items.starts_with('@')) items.remove_prefix(1);
  split(items, ',', [&](std::string_view word) { add_word(word, machine, entry, problems); });
  return std::move(entry.items);
}

}  // namespace convert::uftrace
