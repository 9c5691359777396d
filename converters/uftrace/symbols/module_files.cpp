#include "converters/uftrace/symbols/module_files.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr fxt::Limit kFilesOfOneName{
    "symbol files that are compared because their modules have the same name", 256, 0};
constexpr std::size_t kSuffixSize = 4;            // number of hex digits
constexpr std::size_t kHeaderLimitBytes = 16384;  // a header has three lines, one of them with a path

// The assumed size of functions, because a .dbg file has no sizes. A recorded address is at most this far
// from the start of its function. An address that is farther away may belong to an unlisted function.
constexpr std::uint64_t kLongestPrologue = 128;

// Returns the suffix in the file name of a module without a build-id: the sum of the bytes in its path.
std::string path_suffix(std::string_view path) {
  std::uint16_t sum = 0;
  for (const char c : path) sum = static_cast<std::uint16_t>(sum + static_cast<unsigned char>(c));
  return fmt::format("{:04x}", sum);
}

bool differ(std::string_view a, std::string_view b) { return !a.empty() && !b.empty() && a != b; }

// True if the path `absolute` can also be written as `relative`. For example, `lib/a.so` can be
// `/opt/lib/a.so`.
bool is_tail_of(std::string_view relative, std::string_view absolute) {
  while (relative.starts_with("./")) relative.remove_prefix(2);
  return absolute == relative ||
         (absolute.ends_with(relative) && absolute[absolute.size() - relative.size() - 1] == '/');
}

}  // namespace

ModuleFileHeader parse_module_file_header(std::string_view text) {
  constexpr std::string_view kPathKey = "# path name: ";
  constexpr std::string_view kBuildIdKey = "# build-id: ";
  ModuleFileHeader header;
  Lines lines(text);
  for (auto line = lines.next(); line && line->starts_with('#'); line = lines.next()) {
    if (line->starts_with(kPathKey)) header.module_path = line->substr(kPathKey.size());
    if (line->starts_with(kBuildIdKey)) {
      const std::string_view id = line->substr(kBuildIdKey.size());
      header.build_id = id.substr(0, id.find(' '));
    }
  }
  return header;
}

std::optional<DebugFunction> parse_debug_function(std::string_view line) {
  if (!line.starts_with(DebugFunction::kKey)) return std::nullopt;
  line.remove_prefix(DebugFunction::kKey.size());
  const auto offset = consume_number(line, 16);
  if (!offset || !line.starts_with(' ')) return std::nullopt;
  return DebugFunction{.offset = *offset, .name = line.substr(1)};
}

// Returns the files of modules with this basename, up to a limit. A file without a suffix comes first.
std::vector<std::string> ModuleFiles::files_of(std::string_view basename) const {
  std::vector<std::string> names;
  const auto plain = fmt::format("{}{}", basename, extension_), prefix = fmt::format("{}-", basename);
  if (std::ranges::binary_search(names_, plain)) names.push_back(plain);
  auto at = std::ranges::lower_bound(names_, prefix);
  for (std::size_t i = 0; i < kFilesOfOneName.of(0) && at != names_.end() && at->starts_with(prefix);
       ++i, ++at)
    if (at->size() == prefix.size() + kSuffixSize + extension_.size()) names.push_back(*at);
  return names;
}

const ModuleFileHeader& ModuleFiles::header_of(const std::string& file_name) {
  const auto [found, is_new] = headers_.try_emplace(file_name);
  if (is_new) {
    Notes of_the_file;  // unused: notes are added when the whole file is read
    found->second = parse_module_file_header(
        read_optional_file(directory_.file(file_name), of_the_file, kHeaderLimitBytes).value_or(""));
  }
  return found->second;
}

std::optional<std::string> ModuleFiles::of(const Image& image) {
  switch (image.kind) {
    case Image::Kind::Module:
      return of_module(image.path, image.build_id);
    case Image::Kind::Library:
      return of_library(image.path);
    case Image::Kind::Python:
      return fmt::format("{}{}", image.path, extension_);
    case Image::Kind::Kernel:
      break;
  }
  return std::nullopt;
}

ModuleFileHeader ModuleFiles::header_of(const Image& image) {
  const auto name = of(image);
  const std::lock_guard lock(mutex_);
  return name ? header_of(*name) : ModuleFileHeader{};
}

// Returns the file without a suffix, such as <basename>.sym. If this file belongs to another module, returns
// a file with a suffix.
std::optional<std::string> ModuleFiles::of_module(std::string_view path, std::string_view build_id) {
  const std::lock_guard lock(mutex_);
  const std::string basename(basename_of(path));
  const auto suffix = build_id.empty() ? path_suffix(path) : std::string(build_id.substr(0, kSuffixSize));

  std::vector<std::string> candidates = files_of(basename);
  const auto plain = fmt::format("{}{}", basename, extension_);
  const auto suffixed = fmt::format("{}-{}{}", basename, suffix, extension_);
  if (std::ranges::count(candidates, suffixed) == 0 && std::ranges::binary_search(names_, suffixed))
    candidates.push_back(suffixed);
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&](const std::string& name) { return name == plain || name == suffixed; });
  for (const std::string& name : candidates) {
    const ModuleFileHeader& header = header_of(name);
    if (!differ(header.module_path, path) && !differ(header.build_id, build_id)) return name;
  }
  // The header of the file may have another path for the module, because of a symbolic link or another root
  // directory. Therefore, an equal build-id is sufficient.
  for (const std::string& name : candidates) {
    if (!build_id.empty() && header_of(name).build_id == build_id) return name;
  }
  return std::nullopt;
}

// Returns the file of a library. The library's path may be relative to an unknown directory.
std::optional<std::string> ModuleFiles::of_library(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::string> candidates = files_of(basename_of(path));
  for (const std::string& name : candidates) {
    if (header_of(name).module_path == path) return name;
  }
  for (const std::string& name : candidates) {
    if (is_tail_of(path, header_of(name).module_path)) return name;
  }
  return candidates.size() == 1 ? std::optional(candidates.front()) : std::nullopt;
}

std::unique_ptr<SymbolTable> read_symbol_table(std::string_view text, std::string_view path, Notes& notes) {
  auto table = std::make_unique<SymbolTable>(text);
  for (const std::uint64_t line : table->damaged_lines())
    notes.add(kDamagedLine,
              [&] { return Location::line(path, line).text() + ": expected \"address [size] type name\""; });
  return table;
}

const SymbolTable* SymbolFiles::of(const Image& image) {
  const auto name =
      image.kind == Image::Kind::Kernel ? std::optional<std::string>(kKernelSymbols) : files_.of(image);
  if (!name) return nullptr;
  const auto [table, is_new] = tables_.try_emplace(*name);
  if (is_new) {
    const fxt::FilePlace place = directory_.file(*name);
    if (auto text = read_optional_file(place, notes_))
      table->second = read_symbol_table(*text, place.text(), notes_);
  }
  return table->second.get();
}

void SymbolFiles::identify(Image& image) {
  const bool is_relative = image.kind == Image::Kind::Library && !image.path.starts_with('/');
  if (!image.build_id.empty() && !is_relative) return;
  const ModuleFileHeader header = (image.symbols != nullptr ? files_ : debug_files_).header_of(image);
  if (image.build_id.empty()) image.build_id = header.build_id;
  if (is_relative && header.module_path.starts_with('/')) image.path = header.module_path;
}

std::pair<std::string, const SymbolTable*> SymbolFiles::from_debug_file(const Image& image) {
  const auto name = debug_files_.of(image);
  if (!name) return {};
  const auto [table, is_new] = tables_.try_emplace(*name);
  if (is_new) {
    const std::string text = read_optional_file(directory_.file(*name), notes_).value_or("");
    std::vector<Symbol> symbols;
    Lines lines(text);
    while (const auto line = lines.next())
      if (const auto function = parse_debug_function(*line))
        symbols.push_back({.start = function->offset,
                           .end = function->offset + std::min(kLongestPrologue, ~function->offset),
                           .name = function->name,
                           .type = 'T'});
    if (!symbols.empty()) table->second = std::make_unique<SymbolTable>(std::move(symbols));
  }
  return {*name, table->second.get()};
}

}  // namespace convert::uftrace
