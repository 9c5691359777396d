#include "converters/uftrace/arguments/debug_files.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kFunction = DebugFunction::kKey,
                           kLine = "L: ", kArguments = "A: ", kResults = "R: ", kEnum = "E: ";

}  // namespace

DebugFile::DebugFile(std::string text, std::string_view path, Names& names, Notes& notes)
    : text_(std::move(text)) {
  Lines lines(text_);
  const auto note_damage = [&](std::string_view problem) {
    notes.add(kDamagedLine,
              [&] { return fmt::format("{}: {}", Location::line(path, lines.number()).text(), problem); });
  };
  std::vector<std::string> problems;
  while (const auto line = lines.next()) {
    if (line->starts_with(kFunction)) {
      ++counts_.functions;
      const auto function = parse_debug_function(*line);
      if (function)
        functions_.push_back({function->offset, static_cast<std::uint64_t>(line->data() - text_.data())});
      else
        note_damage("expected \"F: offset name\"");
    } else if (line->starts_with(kLine)) {
      ++counts_.lines;
    } else if (line->starts_with(kArguments)) {
      ++counts_.arguments;
    } else if (line->starts_with(kResults)) {
      ++counts_.results;
    } else if (line->starts_with(kEnum)) {
      ++counts_.enums;
      parse_enums(line->substr(kEnum.size()), names, enums_, problems);
      if (!problems.empty()) note_damage("expected \"E: enum name {…}\"");
      problems.clear();
    } else if (!line->empty() && !line->starts_with('#')) {
      note_damage("expected a line that starts with E:, F:, L:, A: or R:");
    }
  }
  std::ranges::stable_sort(functions_, {}, &Function::offset);
}

DebugInfo DebugFile::read(const Function& function) const {
  DebugInfo info;
  Lines lines(std::string_view(text_).substr(function.text));
  info.name = parse_debug_function(*lines.next())->name;
  for (auto line = lines.next(); line && !line->starts_with(kFunction); line = lines.next()) {
    const auto read_value = [&](std::string_view key, std::string_view& value) {
      if (line->starts_with(key)) value = line->substr(key.size());
    };
    read_value(kLine, info.line);
    read_value(kArguments, info.arguments);
    read_value(kResults, info.results);
  }
  return info;
}

DebugInfo DebugFile::find(std::uint64_t offset, std::string_view name) const {
  const auto first = std::ranges::lower_bound(functions_, offset, {}, &Function::offset);
  const auto is_there = [&](auto function) {
    return function != functions_.end() && function->offset == offset;
  };
  for (auto function = first; is_there(function); ++function) {
    const DebugInfo info = read(*function);
    if (info.name == name) return info;
  }
  return is_there(first) ? read(*first) : DebugInfo{};
}

std::string location_of(std::string_view line) {
  const std::size_t blank = line.find(' ');
  const std::string_view number = line.substr(0, blank);
  if (blank == std::string_view::npos || number.empty() || blank + 1 == line.size() ||
      number.find_first_not_of("0123456789") != std::string_view::npos)
    return {};
  return fmt::format("{}:{}", line.substr(blank + 1), number);
}

const DebugFile* DebugFiles::of(const SymbolAt& symbol) {
  if (directory_.debug_files.empty() || symbol.image == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = by_image_.try_emplace(symbol.image, nullptr);
  if (!is_new) return known->second;

  const auto name = files_.of(*symbol.image);
  if (name) known->second = read(*name);
  return known->second;
}

const DebugFile* DebugFiles::read(const std::string& name) {
  const auto [file, is_unread] = by_name_.try_emplace(name);
  if (is_unread) {
    const fxt::FilePlace place = directory_.file(name);
    if (auto text = read_optional_file(place, notes_))
      file->second = std::make_unique<DebugFile>(std::move(*text), place.text(), names_, notes_);
  }
  return file->second.get();
}

NameId DebugFiles::line_of(const SymbolAt& function) {
  const DebugFile* const file = function.symbol != nullptr ? of(function) : nullptr;
  if (file == nullptr) return CallLabel::kNoLine;
  const std::string line = location_of(file->find(function.symbol->start, function.symbol->name).line);
  return line.empty() ? CallLabel::kNoLine : names_.intern(line);
}

}  // namespace convert::uftrace
