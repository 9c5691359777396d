#include "converters/uftrace/symbols/elf_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/symbols/elf_symbols.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// A build-id in the form that uftrace writes.
std::string as_recorded(std::string_view build_id) {
  constexpr std::size_t kRecordedDigits = 40;
  std::string id(build_id.substr(0, kRecordedDigits));
  id.resize(kRecordedDigits, '0');
  return id;
}

void refuse(const RegularFile& file, std::string_view problem) {
  throw InputError(Location::file(file.path()), problem);
}

// Throws InputError if the file is not the recorded one.
void check_fits(const ElfImage& elf, const RegularFile& file, const Image& image) {
  if (!image.build_id.empty()) {
    if (is_same_build(image.build_id, elf.build_id())) return;
    refuse(file, fmt::format("is another build (build-id {}, recorded was {})",
                             elf.build_id().empty() ? "none" : elf.build_id(), image.build_id));
  }
  if (image.size_bytes && *image.size_bytes != elf.mapped_size())
    refuse(file, fmt::format("is another build (takes {} bytes of memory, recorded were {})",
                             elf.mapped_size(), *image.size_bytes));
}

}  // namespace

bool is_same_build(std::string_view recorded, std::string_view build_id) {
  return !build_id.empty() && as_recorded(recorded) == as_recorded(build_id);
}

const SymbolTable* ElfFiles::of(const Image& image) {
  const auto [symbols, is_new] = symbols_.try_emplace({image.path, image.build_id});
  if (is_new) symbols->second = read(image);
  return symbols->second.table.get();
}

void ElfFiles::replaced_by(const Image& image, std::string_view file) {
  symbols_.at({image.path, image.build_id}).text += fmt::format("; its functions are named by {}", file);
}

void ElfFiles::add_notes(Notes& notes) const {
  for (const auto& [image, symbols] : symbols_)
    if (symbols.kind != nullptr) notes.add(*symbols.kind, [&text = symbols.text] { return text; });
}

ElfFiles::Symbols ElfFiles::read(const Image& image) const {
  const std::string_view basename = image.name();
  const auto missing = [&](std::string_view problem, std::string_view advice) {
    return Symbols{
        .kind = &kNoSymbolFile,
        .text = fmt::format("{}/{}.sym: missing; {}{}", recording_.native(), basename, problem, advice)};
  };
  if (options_.is_off) return missing(image.path, ": is not read because of --no-elf");
  std::vector<std::filesystem::path> candidates;
  if (image.path.starts_with('/')) candidates.emplace_back(image.path);
  if (!options_.sysroot.empty()) candidates.emplace_back(fmt::format("/{}", basename));
  if (candidates.empty()) return missing(image.path, ": is no absolute path");
  std::string problem;
  for (const std::filesystem::path& candidate : candidates) {
    try {
      return read_program(candidate, image);
    } catch (const InputError& unusable) {
      if (problem.empty()) problem = unusable.what();
    }
  }
  if (const auto debug = find_debug_file(image.build_id, options_.sysroot))
    if (auto table = read_elf_symbols(debug->image, nullptr)) return {.table = std::move(table)};
  return missing(problem, "; --sysroot DIR takes files of the machine that was recorded from below DIR");
}

ElfFiles::Symbols ElfFiles::read_program(const std::filesystem::path& path, const Image& image) const {
  const RegularFile file(path, options_.sysroot);
  const ElfImage elf(file);
  check_fits(elf, file, image);
  const auto debug = has_full_symbols(elf) ? nullptr : find_debug_file(elf, path, options_.sysroot);
  Symbols symbols{.table = read_elf_symbols(elf, debug != nullptr ? &debug->image : nullptr)};
  if (symbols.table == nullptr) refuse(file, "has no symbols");
  if (image.build_id.empty()) {
    symbols.kind = &kUnsureSymbols;
    symbols.text = fmt::format("{}: the recording tells no build-id{}", file.path(),
                               image.size_bytes ? ", only the size fits" : " of what was loaded");
  }
  return symbols;
}

}  // namespace convert::uftrace
