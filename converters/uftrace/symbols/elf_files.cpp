#include "converters/uftrace/symbols/elf_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "converters/model/input_error.h"
#include "converters/uftrace/note_kinds.h"
#include "converters/uftrace/symbols/debug_file.h"
#include "converters/uftrace/symbols/elf_symbols.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kRecordedDigits = 40;

std::string as_recorded(std::string_view build_id) {
  std::string id(build_id.substr(0, kRecordedDigits));
  id.resize(kRecordedDigits, '0');
  return id;
}

void refuse(const RegularFile& file, std::string_view problem) {
  throw InputError(Place::file(file.path()), problem);
}

// Throws InputError if the file is not what was recorded.
void check_fits(const ElfImage& image, const RegularFile& file, const Module& module) {
  if (!module.build_id.empty()) {
    if (is_same_build(module.build_id, image.build_id())) return;
    refuse(file, fmt::format("is another build (build-id {}, recorded was {})",
                             image.build_id().empty() ? "none" : image.build_id(), module.build_id));
  }
  const std::uint64_t recorded_size = module.end - module.start;
  if (recorded_size != image.mapped_size())
    refuse(file, fmt::format("is another build (takes {} bytes of memory, recorded were {})",
                             image.mapped_size(), recorded_size));
}

}  // namespace

bool is_same_build(std::string_view recorded, std::string_view build_id) {
  return !build_id.empty() && as_recorded(recorded) == as_recorded(build_id);
}

const SymbolTable* ElfFiles::of_module(const Module& module) {
  const auto [found, is_new] = found_.try_emplace({module.path, module.build_id});
  if (is_new) found->second = read(module);
  return found->second.table.get();
}

void ElfFiles::add_notes(Notes& notes) const {
  for (const auto& [module, found] : found_)
    if (found.kind != nullptr) notes.add(*found.kind, [&text = found.text] { return text; });
}

ElfFiles::Found ElfFiles::read(const Module& module) const {
  const auto missing = [&](std::string_view problem, std::string_view advice) {
    return Found{.kind = &kNoSymbolFile,
                 .text = fmt::format("{}/{}.sym: missing; {}{}", recording_.native(), module.basename(),
                                     problem, advice)};
  };
  if (no_elf_) return missing(module.path, ": is not read because of --no-elf");
  if (!module.path.starts_with('/')) return missing(module.path, ": is no absolute path");
  std::vector<std::filesystem::path> places{module.path};
  if (!sysroot_.empty()) places.emplace_back(fmt::format("/{}", module.basename()));
  std::string problem;
  for (const std::filesystem::path& place : places) {
    try {
      return read_program(place, module);
    } catch (const InputError& unusable) {
      if (problem.empty()) problem = unusable.what();
    }
  }
  if (const auto debug = find_debug_file(module.build_id, sysroot_))
    if (auto table = read_elf_symbols(debug->image, nullptr)) return {.table = std::move(table)};
  return missing(problem, "; --sysroot DIR takes files of the machine that was recorded from below DIR");
}

ElfFiles::Found ElfFiles::read_program(const std::filesystem::path& path, const Module& module) const {
  const RegularFile file(path, sysroot_);
  const ElfImage image(file);
  check_fits(image, file, module);
  const auto debug = has_full_symbols(image) ? nullptr : find_debug_file(image, path, sysroot_);
  Found found{.table = read_elf_symbols(image, debug != nullptr ? &debug->image : nullptr)};
  if (found.table == nullptr) refuse(file, "has no symbols");
  if (module.build_id.empty()) {
    found.kind = &kUnsureSymbols;
    found.text = fmt::format("{}: the recording tells no build-id, only the size fits", file.path());
  }
  return found;
}

}  // namespace convert::uftrace
