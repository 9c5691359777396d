#include "converters/tfile/description/tracepoint.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

// The approximate memory for one location, including the data that are computed from it.
constexpr std::uint64_t kLocationBytes = 1200, kActionBytes = 320, kTextBytes = 100;
// The approximate memory for each character of a text that lists items. It is large, because an item may have
// only two characters.
constexpr std::uint64_t kBytesPerCharacter = 100;

std::string_view next_digits(std::string_view& text) {
  const std::string_view digits =
      text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_hex_digit) - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// Consumes a base register. "-1", "FFFFFFFF" and "FFFFFFFFFFFFFFFF" mean that there is none.
std::optional<std::int64_t> next_base(std::string_view& text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
    next_digits(text);
    return -1;
  }
  const auto base = hex_number(next_digits(text));
  if (!base) return std::nullopt;
  return *base > 0xffff ? -1 : static_cast<std::int64_t>(*base);
}

std::optional<TracepointAction> next_memory_action(std::string_view& text) {
  const auto base = next_base(text);
  if (!base || !consume_prefix(text, ",")) return std::nullopt;
  const auto offset = hex_number(next_digits(text));
  if (!offset || !consume_prefix(text, ",")) return std::nullopt;
  const auto length = hex_number(next_digits(text));
  if (!length) return std::nullopt;
  TracepointAction action{.kind = TracepointAction::Kind::Memory};
  action.base = *base;
  action.offset = static_cast<std::int64_t>(*offset);
  action.length = *length;
  return action;
}

// Consumes "<length in bytes>,<bytecode>", which X actions and conditions have.
std::optional<std::vector<std::byte>> next_code(std::string_view& text) {
  const auto length = hex_number(next_digits(text));
  if (!length || !consume_prefix(text, ",") || *length > text.size() / 2) return std::nullopt;
  auto code = hex_bytes(text.substr(0, *length * 2));
  text.remove_prefix(*length * 2);
  return code;
}

// Reads the rest of a T piece: "E:<steps>:<passes>" and options.
std::optional<std::string> read_definition(TracepointLocation& location, std::string_view rest) {
  const std::string_view state = next_field(rest, ':');
  if (state != "E" && state != "D") return fmt::format("tracepoint state is '{}', expected E or D", state);
  const auto steps = hex_number(next_field(rest, ':'));
  const auto passes = hex_number(next_field(rest, ':'));
  if (!steps || !passes) return "tracepoint without step and pass count";
  location.defined = true;
  location.enabled = state == "E";
  location.step_count = *steps;
  location.pass_count = *passes;
  while (!rest.empty()) {
    const char option = rest.front();
    rest.remove_prefix(1);
    if (option == 'F') {
      location.is_fast = true;
      next_digits(rest);
    } else if (option == 'S') {
      location.is_static = true;
    } else if (option == 'X') {
      auto code = next_code(rest);
      if (!code) return "damaged condition";
      location.condition = std::move(*code);
    } else {
      return fmt::format("unknown tracepoint option '{}'", option);
    }
    if (!rest.empty() && next_field(rest, ':') != "") return "damaged tracepoint options";
  }
  return std::nullopt;
}

std::optional<std::string> read_source(TracepointLocation& location, std::string_view rest,
                                       fxt::Budget& memory) {
  const std::string_view type = next_field(rest, ':');
  const auto start = hex_number(next_field(rest, ':'));
  const auto length = hex_number(next_field(rest, ':'));
  const auto text = hex_text(rest);
  if (!start || !length || !text) return "damaged source text";
  if (!memory.take(kTextBytes + kBytesPerCharacter * text->size())) return std::nullopt;
  const bool continues = *start > 0 && !location.sources.empty() && location.sources.back().type == type &&
                         location.sources.back().text.size() < *length;
  if (continues)
    location.sources.back().text += *text;
  else
    location.sources.push_back({.type = std::string(type), .length = *length, .text = *text});
  return std::nullopt;
}

// gdbserver writes decimal counts, and other targets write hexadecimal counts. Here, counts without letters
// are read as decimal numbers.
std::optional<std::string> read_usage(TracepointLocation& location, std::string_view rest) {
  const std::string_view hits = next_field(rest, ':'), bytes = rest;
  const bool decimal = std::ranges::all_of(hits, is_digit) && std::ranges::all_of(bytes, is_digit);
  const int base = decimal ? 10 : 16;
  location.hits = whole_number(hits, base);
  location.bytes_used = whole_number(bytes, base);
  if (!location.hits || !location.bytes_used) return "damaged hit count";
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<TracepointAction>> read_actions(std::string_view text, fxt::Budget& memory) {
  std::vector<TracepointAction> actions;
  while (!text.empty()) {
    if (text.front() != '-' && !memory.take(kActionBytes)) break;
    const char kind = text.front();
    text.remove_prefix(1);
    if (kind == 'R') {
      const std::string_view mask = next_digits(text);
      if (mask.empty()) return std::nullopt;
      actions.push_back({.kind = TracepointAction::Kind::Registers, .mask = std::string(mask)});
    } else if (kind == 'M') {
      auto range = next_memory_action(text);
      if (!range) return std::nullopt;
      actions.push_back(std::move(*range));
    } else if (kind == 'X') {
      auto code = next_code(text);
      if (!code) return std::nullopt;
      actions.push_back({.kind = TracepointAction::Kind::Expression, .code = std::move(*code)});
    } else if (kind == 'L') {
      actions.push_back({.kind = TracepointAction::Kind::StaticData});
    } else if (kind != '-') {  // '-' separates the actions of a packet
      return std::nullopt;
    }
  }
  return actions;
}

TracepointLocation* TracepointReader::location(std::uint64_t number, std::uint64_t address) {
  if (const auto found = by_key_.find({number, address}); found != by_key_.end())
    return &locations_[found->second];
  if (!memory_.take(kLocationBytes)) return nullptr;
  by_key_.emplace(std::pair(number, address), locations_.size());
  TracepointLocation& added = locations_.emplace_back();
  added.number = number;
  added.address = address;
  return &added;
}

std::optional<std::string> TracepointReader::add_piece(std::string_view piece) {
  if (piece.empty()) return "empty tracepoint line";
  const char kind = piece.front();
  std::string_view rest = piece.substr(1);
  const auto number = hex_number(next_field(rest, ':'));
  const auto address = hex_number(next_field(rest, ':'));
  if (!number || !address) return "tracepoint line without number and address";
  constexpr std::string_view kKnown = "TASZV";
  if (kKnown.find(kind) == std::string_view::npos)
    return fmt::format("unknown kind of tracepoint line '{}'", kind);

  TracepointLocation* const found = location(*number, *address);
  if (found == nullptr) return std::nullopt;
  TracepointLocation& at = *found;
  if (kind == 'T') return read_definition(at, rest);
  if (kind == 'Z') return read_source(at, rest, memory_);
  if (kind == 'V') return read_usage(at, rest);
  auto actions = read_actions(rest, memory_);
  if (!actions) return "damaged action";
  std::ranges::move(*actions, std::back_inserter(kind == 'A' ? at.hit_actions : at.step_actions));
  return std::nullopt;
}

void TracepointReader::finish() {
  std::ranges::reverse(locations_);
  by_key_.clear();
  for (TracepointLocation& location : locations_) {
    for (TracepointLocation::Source& source : location.sources) {
      if (source.type == "at")
        location.at = std::move(source.text);
      else if (source.type == "cond")
        location.condition_text = std::move(source.text);
      else if (source.type == "cmd")
        location.commands.push_back(std::move(source.text));
    }
    location.sources.clear();
  }
}

std::string location_text(const std::string& at) {
  std::string_view rest = at;
  consume_prefix(rest, "-qualified ");
  if (consume_prefix(rest, "-source ")) {
    const std::size_t option = rest.find(" -line ");
    if (option != std::string_view::npos)
      return fmt::format("{}:{}", rest.substr(0, option), rest.substr(option + 7));
    const std::size_t function = rest.find(" -function ");
    if (function != std::string_view::npos) return std::string(rest.substr(function + 11));
  }
  consume_prefix(rest, "-function ");
  consume_prefix(rest, "-qualified ");
  return std::string(rest);
}

}  // namespace convert::tfile
