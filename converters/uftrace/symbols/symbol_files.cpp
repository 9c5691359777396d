#include "converters/uftrace/symbols/symbol_files.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "converters/uftrace/recording/map_file.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kExtension = ".sym";
constexpr std::size_t kSuffixSize = 4;            // hex digits
constexpr std::size_t kHeaderLimitBytes = 16384;  // three lines; the longest holds a path

// Without a build-id the suffix is made of the path: the sum of its bytes.
std::string path_suffix(std::string_view path) {
  std::uint16_t sum = 0;
  for (const char c : path) sum = static_cast<std::uint16_t>(sum + static_cast<unsigned char>(c));
  return fmt::format("{:04x}", sum);
}

bool differ(std::string_view a, std::string_view b) { return !a.empty() && !b.empty() && a != b; }

// True if a program that gave the relative path `relative` can have meant `absolute`.
bool is_tail_of(std::string_view relative, std::string_view absolute) {
  while (relative.starts_with("./")) relative.remove_prefix(2);
  return absolute == relative ||
         (absolute.ends_with(relative) && absolute[absolute.size() - relative.size() - 1] == '/');
}

// The names of all symbol files of modules with that basename, the one without suffix first.
std::vector<std::string> files_of(std::string_view basename, const Directory& directory) {
  std::vector<std::string> names;
  std::vector<std::string> suffixed;
  for (const std::string& name : directory.symbol_files) {
    if (!name.starts_with(basename)) continue;
    const std::string_view rest = std::string_view(name).substr(basename.size());
    if (rest == kExtension) names.push_back(name);
    if (rest.starts_with('-') && rest.size() == 1 + kSuffixSize + kExtension.size()) suffixed.push_back(name);
  }
  names.insert(names.end(), suffixed.begin(), suffixed.end());
  return names;
}

}  // namespace

const SymbolFileHeader& SymbolFiles::header_of(const std::string& file_name) {
  const auto [found, is_new] = headers_.try_emplace(file_name);
  if (is_new)
    found->second = parse_symbol_header(
        read_optional_file(directory_.path / file_name, notes_, kHeaderLimitBytes).value_or(""));
  return found->second;
}

const SymbolTable* SymbolFiles::of_file(std::string_view file_name) {
  const auto known = tables_.find(file_name);
  if (known != tables_.end()) return known->second.get();
  const auto path = directory_.path / file_name;
  std::optional<std::string> text = read_optional_file(path, notes_);
  auto table = text ? std::make_unique<SymbolTable>(std::move(*text), path.native(), notes_) : nullptr;
  return tables_.emplace(file_name, std::move(table)).first->second.get();
}

const SymbolTable* SymbolFiles::of_module(std::string_view path, std::string_view build_id) {
  const std::string basename(basename_of(path));
  const auto suffix = build_id.empty() ? path_suffix(path) : std::string(build_id.substr(0, kSuffixSize));

  std::vector<std::string> candidates = files_of(basename, directory_);
  const auto suffixed = fmt::format("{}-{}{}", basename, suffix, kExtension);
  std::stable_partition(candidates.begin(), candidates.end(), [&](const std::string& name) {
    return name == basename + std::string(kExtension) || name == suffixed;
  });
  for (const std::string& name : candidates) {
    const SymbolFileHeader& header = header_of(name);
    if (!differ(header.module_path, path) && !differ(header.build_id, build_id)) return of_file(name);
  }
  // The same file under another name: a symbolic link, or another root directory.
  for (const std::string& name : candidates) {
    if (!build_id.empty() && header_of(name).build_id == build_id) return of_file(name);
  }
  return nullptr;
}

const SymbolTable* SymbolFiles::of_library(std::string_view path) {
  const std::vector<std::string> candidates = files_of(basename_of(path), directory_);
  for (const std::string& name : candidates) {
    if (header_of(name).module_path == path) return of_file(name);
  }
  for (const std::string& name : candidates) {
    if (is_tail_of(path, header_of(name).module_path)) return of_file(name);
  }
  return candidates.size() == 1 ? of_file(candidates.front()) : nullptr;
}

}  // namespace convert::uftrace
