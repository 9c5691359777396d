#include "converters/uftrace/symbols/elf_files.h"

#include <cstddef>
#include <fmt/format.h>
#include <vector>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kSysrootAdvice =
    "; if DIR has the files of the recorded machine, use --sysroot DIR";

// Returns the build-id in the form that uftrace writes.
std::string as_recorded(std::string_view build_id) {
  constexpr std::size_t kRecordedDigits = 40;
  std::string id(build_id.substr(0, kRecordedDigits));
  id.resize(kRecordedDigits, '0');
  return id;
}

void refuse(const InputFile& file, std::string_view problem) {
  throw InputError(Location::file(file.path()), problem);
}

// Throws InputError if the file is not the recorded build.
void check_fits(const ElfImage& elf, const InputFile& file, const Image& image) {
  if (!image.build_id.empty()) {
    if (is_same_build(image.build_id, elf.build_id())) return;
    refuse(file, fmt::format("is another build (with build-id {}, but {} was recorded)",
                             elf.build_id().empty() ? "none" : elf.build_id(), image.build_id));
  }
  if (image.size_bytes && *image.size_bytes != elf.mapped_size())
    refuse(file, fmt::format("is another build (with {} bytes in memory, but {} were recorded)",
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
  symbols_.at({image.path, image.build_id}).text +=
      fmt::format("; functions of this module have the names in {}", file);
}

void ElfFiles::add_notes(Notes& notes) const {
  for (const auto& [image, symbols] : symbols_)
    if (symbols.kind != nullptr) notes.add(*symbols.kind, [&text = symbols.text] { return text; });
  if (!names_parameters()) return;
  for (const auto& [image, program] : programs_)
    if (!program.problem.empty()) notes.add(kNoParameterNames, [&text = program.problem] { return text; });
}

FunctionType ElfFiles::function_at(const Image& image, std::uint64_t offset) {
  DwarfInfo* const dwarf = dwarf_of(image);
  if (dwarf == nullptr) return {};
  FunctionType function = dwarf->function_at(offset);
  // Without a build-id, the file may be another build, because at most its size was compared.
  const bool is_sure = !image.build_id.empty();
  if (!is_sure) function.result.reset();
  for (auto* const row : {&function.integers, &function.floats}) {
    for (Parameter& parameter : *row) {
      if (!names_parameters()) parameter.name.clear();
      if (!is_sure) parameter.type.reset();
    }
  }
  return function;
}

std::optional<ScalarType> ElfFiles::variable_at(const Image& image, std::uint64_t offset) {
  DwarfInfo* const dwarf = dwarf_of(image);
  return dwarf != nullptr ? dwarf->variable_at(offset) : std::nullopt;
}

std::optional<SourceLine> ElfFiles::line_at(const Image& image, std::uint64_t offset) {
  DwarfInfo* const dwarf = dwarf_of(image);
  return dwarf != nullptr ? dwarf->line_at(offset) : std::nullopt;
}

// Returns the DWARF of the image, which may be empty. Null if no file of the image was found.
DwarfInfo* ElfFiles::dwarf_of(const Image& image) {
  const auto [known, is_new] = programs_.try_emplace({image.path, image.build_id});
  Program& program = known->second;
  if (is_new) {
    const auto has_dwarf = [](const ElfImage& elf) { return elf.find(".debug_info") != nullptr; };
    program = open(image, has_dwarf);
    const ElfFile* const dwarf = program.debug != nullptr ? program.debug.get() : program.file.get();
    const ElfFile* const addresses = program.file != nullptr ? program.file.get() : dwarf;
    if (dwarf != nullptr) program.dwarf = std::make_unique<DwarfInfo>(dwarf->image, addresses->image.base());
    if (program.problem.empty() && !program.dwarf->has_any())
      program.problem = fmt::format("{}: {}", dwarf->file.path(), program.dwarf->problem());
  }
  return program.dwarf.get();
}

// Searches for a file that may be the image, and opens the first such file. Also opens the debug file of this
// file, unless `is_complete` returns true. If the search fails, opens a debug file with the image's build-id.
ElfFiles::Program ElfFiles::open(const Image& image, bool (*is_complete)(const ElfImage&)) const {
  if (options_.is_off) return {.problem = fmt::format("{}: not read because of --no-elf", image.path)};
  std::vector<std::filesystem::path> candidates;
  if (image.path.starts_with('/')) candidates.emplace_back(image.path);
  if (!options_.sysroot.empty()) candidates.emplace_back(fmt::format("/{}", image.name()));
  if (candidates.empty()) return {.problem = fmt::format("{}: not an absolute path", image.path)};
  Program program;
  for (const std::filesystem::path& candidate : candidates) {
    try {
      auto file = std::make_unique<ElfFile>(candidate, options_.sysroot);
      check_fits(file->image, file->file, image);
      if (!is_complete(file->image))
        program.debug = find_debug_file(file->image, candidate, options_.sysroot);
      program.file = std::move(file);
      program.problem.clear();
      return program;
    } catch (const InputError& unusable) {
      if (program.problem.empty()) program.problem = unusable.what();
    }
  }
  program.debug = find_debug_file(image.build_id, options_.sysroot);
  if (program.debug != nullptr) program.problem.clear();
  if (!program.problem.empty()) program.problem += kSysrootAdvice;
  return program;
}

ElfFiles::Symbols ElfFiles::read(const Image& image) const {
  const Program program = open(image, has_full_symbols);
  const ElfFile* const file = program.file != nullptr ? program.file.get() : program.debug.get();
  const ElfImage* const debug = program.debug != nullptr ? &program.debug->image : nullptr;
  std::string left_out;
  Symbols symbols;
  if (file != nullptr) symbols.table = read_elf_symbols(file->image, debug, &left_out);
  if (!left_out.empty()) {
    symbols.kind = &kOverLimit;
    symbols.text = fmt::format("{}: {}; later symbols are left out", file->file.path(), left_out);
  } else if (symbols.table == nullptr) {
    symbols.kind = &kNoSymbolFile;
    symbols.text =
        fmt::format("{}/{}.sym: is missing; {}", recording_.native(), image.name(),
                    file == nullptr ? program.problem
                                    : fmt::format("{}: has no symbols{}", file->file.path(), kSysrootAdvice));
  } else if (program.file != nullptr && image.build_id.empty()) {
    symbols.kind = &kUnsureSymbols;
    symbols.text = fmt::format("{}: the recording has no build-id for this file, so {}", file->file.path(),
                               image.size_bytes ? "only its size was compared" : "its build was not checked");
  }
  return symbols;
}

}  // namespace convert::uftrace
