#include "converters/uftrace/symbols/elf_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/symbols/debug_file.h"
#include "converters/symbols/elf_symbols.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kRecordedDigits = 40;

std::string as_recorded(std::string_view build_id) {
  std::string id(build_id.substr(0, kRecordedDigits));
  id.resize(kRecordedDigits, '0');
  return id;
}

void refuse(const RegularFile& file, std::string_view problem) {
  throw InputError(Location::file(file.path()), problem);
}

}  // namespace

bool is_same_build(std::string_view recorded, std::string_view build_id) {
  return !build_id.empty() && as_recorded(recorded) == as_recorded(build_id);
}

const SymbolTable* ElfFiles::of_module(const Module& module) {
  return find({.path = module.path, .build_id = module.build_id, .size_bytes = module.end - module.start});
}

const SymbolTable* ElfFiles::of_library(const std::string& path) { return find({.path = path}); }

const SymbolTable* ElfFiles::find(const Wanted& wanted) {
  const auto [found, is_new] = found_.try_emplace({wanted.path, wanted.build_id});
  if (is_new) found->second = read(wanted);
  return found->second.table.get();
}

void ElfFiles::add_notes(Notes& notes) const {
  for (const auto& [module, found] : found_)
    if (found.kind != nullptr) notes.add(*found.kind, [&text = found.text] { return text; });
}

ElfFiles::Found ElfFiles::read(const Wanted& wanted) const {
  const std::string_view basename = basename_of(wanted.path);
  const auto missing = [&](std::string_view problem, std::string_view advice) {
    return Found{
        .kind = &kNoSymbolFile,
        .text = fmt::format("{}/{}.sym: missing; {}{}", recording_.native(), basename, problem, advice)};
  };
  if (options_.is_off) return missing(wanted.path, ": is not read because of --no-elf");
  std::vector<std::filesystem::path> places;
  if (wanted.path.starts_with('/')) places.emplace_back(wanted.path);
  if (!options_.sysroot.empty()) places.emplace_back(fmt::format("/{}", basename));
  if (places.empty()) return missing(wanted.path, ": is no absolute path");
  std::string problem;
  for (const std::filesystem::path& place : places) {
    try {
      return read_program(place, wanted);
    } catch (const InputError& unusable) {
      if (problem.empty()) problem = unusable.what();
    }
  }
  if (const auto debug = find_debug_file(wanted.build_id, options_.sysroot))
    if (auto table = read_elf_symbols(debug->image, nullptr)) return {.table = std::move(table)};
  return missing(problem, "; --sysroot DIR takes files of the machine that was recorded from below DIR");
}

// Throws InputError if the file is not what was recorded.
void ElfFiles::check_fits(const ElfImage& image, const RegularFile& file, const Wanted& wanted) {
  if (!wanted.build_id.empty()) {
    if (is_same_build(wanted.build_id, image.build_id())) return;
    refuse(file, fmt::format("is another build (build-id {}, recorded was {})",
                             image.build_id().empty() ? "none" : image.build_id(), wanted.build_id));
  }
  if (wanted.size_bytes && *wanted.size_bytes != image.mapped_size())
    refuse(file, fmt::format("is another build (takes {} bytes of memory, recorded were {})",
                             image.mapped_size(), *wanted.size_bytes));
}

ElfFiles::Found ElfFiles::read_program(const std::filesystem::path& path, const Wanted& wanted) const {
  const RegularFile file(path, options_.sysroot);
  const ElfImage image(file);
  check_fits(image, file, wanted);
  const auto debug = has_full_symbols(image) ? nullptr : find_debug_file(image, path, options_.sysroot);
  Found found{.table = read_elf_symbols(image, debug != nullptr ? &debug->image : nullptr)};
  if (found.table == nullptr) refuse(file, "has no symbols");
  if (wanted.build_id.empty()) {
    found.kind = &kUnsureSymbols;
    found.text = fmt::format("{}: the recording tells no build-id{}", file.path(),
                             wanted.size_bytes ? ", only the size fits" : " of what was loaded");
  }
  return found;
}

}  // namespace convert::uftrace
