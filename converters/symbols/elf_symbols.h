// The symbols of an ELF file, as uftrace saves them in a .sym file: functions, variables, and the entries of
// the procedure linkage table (PLT).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "converters/symbols/elf_image.h"
#include "converters/symbols/symbol_table.h"

namespace convert {

// True if the file has all symbols, and not only those for the dynamic linker.
bool has_full_symbols(const ElfImage& image);

// `debug` is the file that has the stripped parts of `image`; it may be null. Returns null if no symbol is
// found. If `problem` is not null, it gets the reason why symbols are left out.
std::unique_ptr<SymbolTable> read_elf_symbols(const ElfImage& image, const ElfImage* debug,
                                              std::string* problem = nullptr);

struct ElfFile {
  InputFile file;
  ElfImage image;
  ElfFile(const std::filesystem::path& path, const std::filesystem::path& root)
      : file(fxt::FilePlace::in_root(root, path)), image(file) {}
};

// Finds the file with the stripped parts of a program or library, in the usual folders, by the build-id in
// hexadecimal. Returns null if there is no such file. If `root` is not empty, all paths and links are
// resolved below it.
std::unique_ptr<ElfFile> find_debug_file(std::string_view build_id, const std::filesystem::path& root);
// Searches by the build-id of `image`, and then by its debug link. The link is relative to `path`, the path
// of `image`. If there is no link, searches for the name of `image` with ".debug" appended.
std::unique_ptr<ElfFile> find_debug_file(const ElfImage& image, const std::filesystem::path& path,
                                         const std::filesystem::path& root);

}  // namespace convert
