#include "converters/uftrace/arguments/debug_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kFunction = "F: ";

// "<offset> <name>"
std::optional<std::pair<std::uint64_t, std::string_view>> function_of(std::string_view text) {
  const auto offset = take_number(text, 16);
  if (!offset || !text.starts_with(' ')) return std::nullopt;
  return std::pair(*offset, text.substr(1));
}

}  // namespace

DebugFile::DebugFile(std::string text, std::string_view path, Notes& notes) : text_(std::move(text)) {
  Lines lines(text_);
  const auto damaged = [&](std::string_view problem) {
    notes.add(kDamagedLine,
              [&] { return fmt::format("{}: {}", Location::line(path, lines.number()).text(), problem); });
  };
  std::vector<std::string> problems;
  while (const auto line = lines.next()) {
    if (line->starts_with(kFunction)) {
      const auto function = function_of(line->substr(kFunction.size()));
      if (function) {
        functions_.push_back({function->first, static_cast<std::uint64_t>(line->data() - text_.data())});
      } else {
        damaged("expected \"F: offset name\"");
      }
    } else if (line->starts_with("E: ")) {
      parse_enums(line->substr(3), enums_, problems);
      if (!problems.empty()) damaged("expected \"E: enum name {…}\"");
      problems.clear();
    } else if (!line->empty() && !line->starts_with('#') && !line->starts_with("L: ") &&
               !line->starts_with("A: ") && !line->starts_with("R: ")) {
      damaged("expected a line that begins with E:, F:, L:, A: or R:");
    }
  }
  std::ranges::stable_sort(functions_, {}, &Function::offset);
}

DebugInfo DebugFile::read(const Function& function) const {
  DebugInfo info;
  Lines lines(std::string_view(text_).substr(function.text));
  info.name = function_of(lines.next()->substr(kFunction.size()))->second;
  for (auto line = lines.next(); line && !line->starts_with(kFunction); line = lines.next()) {
    const auto take = [&](std::string_view key, std::string_view& value) {
      if (line->starts_with(key)) value = line->substr(key.size());
    };
    take("L: ", info.line);
    take("A: ", info.arguments);
    take("R: ", info.results);
  }
  return info;
}

DebugInfo DebugFile::find(std::uint64_t offset, std::string_view name) const {
  const auto first = std::ranges::lower_bound(functions_, offset, {}, &Function::offset);
  const auto is_here = [&](auto function) {
    return function != functions_.end() && function->offset == offset;
  };
  for (auto function = first; is_here(function); ++function) {
    const DebugInfo info = read(*function);
    if (info.name == name) return info;
  }
  return is_here(first) ? read(*first) : DebugInfo{};
}

std::string location_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  const std::string_view number = line.substr(0, blank);
  if (blank == std::string_view::npos || number.empty() || blank + 1 == line.size() ||
      number.find_first_not_of("0123456789") != std::string_view::npos)
    return {};
  return fmt::format("{}:{}", line.substr(blank + 1), number);
}

}  // namespace convert::uftrace
