// Symbols of modules and libraries that have no .sym file in the recording, because the recorder was killed.
// They come from the ELF files that the recording names, if those are the ones that were recorded.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/notes.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/symbols/module_files.h"

namespace convert::uftrace {

struct ElfOptions {
  bool is_off = false;                 // reads no ELF files outside the recording
  std::filesystem::path sysroot = {};  // the recorded machine's root directory; empty: of this machine
};

class ElfFiles {
 public:
  // `recording` is the directory without the .sym files.
  ElfFiles(const std::filesystem::path& recording, const ElfOptions& options)
      : recording_(recording), options_(options) {}

  // The symbols of a module or library, read on demand. Null if there are none. Valid as long as this object.
  const SymbolTable* of(const Image& image);
  // Says in the note on an image without symbols where its names come from instead.
  void replaced_by(const Image& image, std::string_view file);
  // Notes what is missing or unsure, in an order that does not depend on the order of calls.
  void add_notes(Notes& notes) const;

 private:
  struct Symbols {
    std::unique_ptr<SymbolTable> table = nullptr;
    const NoteKind* kind = nullptr;  // of a note; null: none
    std::string text = {};
  };
  Symbols read(const Image& image) const;
  Symbols read_program(const std::filesystem::path& path, const Image& image) const;

  std::filesystem::path recording_;
  ElfOptions options_;
  std::map<std::pair<std::string, std::string>, Symbols> symbols_;  // by path and build-id
};

// True if a file with `build_id` is the recorded one. uftrace always writes 20 bytes, cut or filled with
// zeros.
bool is_same_build(std::string_view recorded, std::string_view build_id);

}  // namespace convert::uftrace
