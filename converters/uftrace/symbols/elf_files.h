// Symbols of modules and libraries that have no .sym file in the recording, because the recorder was killed:
// from the ELF files that the map and task.txt name, if they are what was recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/notes.h"
#include "converters/symbols/elf_image.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/map_file.h"

namespace convert::uftrace {

struct ElfOptions {
  bool is_off = false;                 // no names from ELF files outside the recording
  std::filesystem::path sysroot = {};  // where the ELF files lie that a map names; empty: where it says
};

class ElfFiles {
 public:
  // `recording` is the directory without the .sym files.
  ElfFiles(const std::filesystem::path& recording, const ElfOptions& options)
      : recording_(recording), options_(options) {}

  // Null if there are none. Read when first asked for, valid as long as this object.
  const SymbolTable* of_module(const Module& module);
  // Of a library that was loaded later: nothing tells which build of it.
  const SymbolTable* of_library(const std::string& path);
  // What is missing or not sure, in an order that does not depend on who asked first.
  void add_notes(Notes& notes) const;

 private:
  struct Wanted {
    std::string path;
    std::string build_id = {};                     // empty: not known
    std::optional<std::uint64_t> size_bytes = {};  // of it in memory, where the recording tells
  };
  struct Found {
    std::unique_ptr<SymbolTable> table = nullptr;
    const NoteKind* kind = nullptr;  // null: nothing to note
    std::string text = {};
  };
  const SymbolTable* find(const Wanted& wanted);
  Found read(const Wanted& wanted) const;
  Found read_program(const std::filesystem::path& path, const Wanted& wanted) const;
  static void check_fits(const ElfImage& image, const RegularFile& file, const Wanted& wanted);

  std::filesystem::path recording_;
  ElfOptions options_;
  std::map<std::pair<std::string, std::string>, Found> found_;  // by path and build-id
};

// True if a file with `build_id` is the one that uftrace recorded as `recorded`: that has always 20 bytes.
bool is_same_build(std::string_view recorded, std::string_view build_id);

}  // namespace convert::uftrace
