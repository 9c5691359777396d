#include "converters/uftrace/recording/map_file.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/memory_limit.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kBuildIdMark = " build-id:";

// A rule by which uftrace guesses which addresses the kernel has. If a program's stack is below
// `stack_below`, the kernel's addresses begin at `kernel_base`.
struct KernelBaseRule {
  std::uint64_t stack_below;
  std::uint64_t kernel_base;
};
constexpr std::array kKernelBaseRules{
    KernelBaseRule{0x4000'0000, 0x4000'0000},
    KernelBaseRule{0x8000'0000, 0x8000'0000},
    KernelBaseRule{0xB000'0000, 0xB000'0000},
    KernelBaseRule{0xC000'0000, 0xC000'0000},
    KernelBaseRule{0x80'0000'0000, 0xFFFF'FF80'0000'0000},
    KernelBaseRule{0x400'0000'0000, 0xFFFF'FC00'0000'0000},
    KernelBaseRule{0x8000'0000'0000, 0xFFFF'8000'0000'0000},
};
constexpr std::uint64_t kKernelBaseOfLargeSpaces = 0xFFFF'0000'0000'0000;

std::uint64_t kernel_base_for(std::uint64_t stack_start) {
  const auto* const rule = std::ranges::find_if(
      kKernelBaseRules, [&](const KernelBaseRule& r) { return stack_start < r.stack_below; });
  return rule != kKernelBaseRules.end() ? rule->kernel_base : kKernelBaseOfLargeSpaces;
}

bool is_hex(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Removes the build-id from the end of the path column, and returns it.
std::string consume_build_id(std::string_view& path) {
  const std::size_t mark = path.rfind(kBuildIdMark);
  if (mark == std::string_view::npos) return {};
  const std::string_view id = path.substr(mark + kBuildIdMark.size());
  if (!is_hex(id)) return {};
  path = path.substr(0, mark);
  return std::string(id);
}

// Parses <start>-<end> <permissions> <offset> <device> <inode> <path to the end of the line>.
void read_mapping(LineReader line, MemoryMap& map) {
  const std::uint64_t start = line.hexadecimal("start address");
  line.expect("-");
  const std::uint64_t end = line.hexadecimal("end address");
  if (end < start) line.fail("the mapping ends before it starts");
  for (const std::string_view column : {"permissions", "offset", "device", "inode"}) {
    line.skip_blanks();
    line.word(column);
  }
  ++map.mappings;
  line.skip_blanks();
  std::string_view path = line.rest();
  if (path == "[stack]") map.kernel_base = kernel_base_for(start);
  if (path.empty() || path.starts_with('[')) return;

  const std::string build_id = consume_build_id(path);
  if (!map.modules.empty() && map.modules.back().path == path && map.modules.back().end <= start) {
    map.modules.back().end = end;
    return;
  }
  map.modules.push_back({.start = start, .end = end, .path = std::string(path), .build_id = build_id});
}

}  // namespace

std::string_view basename_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view Module::basename() const { return basename_of(path); }

const Module* MemoryMap::find(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(modules, address, {}, &Module::start);
  if (after == modules.begin()) return nullptr;
  const Module& module = *--after;
  return address < module.end ? &module : nullptr;
}

ModuleNames::ModuleNames(const std::vector<Module>& modules) {
  for (const Module& module : modules) {
    const auto [name, is_new] = shared_.try_emplace(std::string(module.basename()));
    if (!is_new) continue;
    // Compares this name with its two neighbors in alphabetical order. No other name shares a longer start
    // with it.
    const auto share = [&own = *name](const std::string& other) {
      const auto end = std::ranges::mismatch(own.first, other).in1;
      own.second = std::max(own.second, static_cast<std::size_t>(end - own.first.begin()));
    };
    if (name != shared_.begin()) share(std::prev(name)->first);
    if (const auto after = std::next(name); after != shared_.end()) share(after->first);
  }
}

bool ModuleNames::is_meant(std::string_view name, std::string_view text) const {
  const auto found = shared_.find(name);
  return found != shared_.end() && name.starts_with(text) && text.size() > found->second;
}

bool ModuleNames::means_any(std::string_view text) const {
  const auto found = shared_.lower_bound(text);
  return found != shared_.end() && found->first.starts_with(text);
}

MemoryMap parse_map(std::string_view text, std::string_view path, Notes& notes) {
  MemoryMap map;
  read_lines(text, path, notes, [&](const LineReader& line) {
    if (!line.rest().empty() && !line.rest().starts_with('#')) read_mapping(line, map);
  });
  fxt::check_memory(map.modules.size() * sizeof(Module));
  std::ranges::stable_sort(map.modules, {}, &Module::start);
  return map;
}

}  // namespace convert::uftrace
