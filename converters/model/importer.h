// What an importer is given and what it offers. It reads the head of its input, adds lanes and sources to the
// timeline, and returns; its sources read the rest while the timeline runs. It knows neither FXT, nor the
// command line, nor its neighbours.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/model/timeline.h"

namespace convert {

enum class Demangle : std::uint8_t { Simple, Full, No };

// Which bytes are kept as FXT blobs: none; what has no other form; or raw register blocks, too.
enum class Blobs : std::uint8_t { None, Memory, All };

// Which registers of a GDB frame become arguments.
enum class Registers : std::uint8_t { None, General, All };

struct ImportOptions {
  std::vector<std::uint64_t> tids = {};  // only these threads; empty: all
  Demangle demangle = Demangle::Simple;
  Blobs blobs = Blobs::Memory;

  // GDB trace files:
  Registers registers = Registers::General;
  std::filesystem::path program = {};           // the traced program, for names; empty: none
  std::filesystem::path symbols = {};           // a kernel's kallsyms or System.map; empty: none
  std::optional<std::uint64_t> load_bias = {};  // of the program; nothing: found out
};

// Counted while reading; for progress and report.
struct ImportStats {
  std::uint64_t bytes_total = 0;  // of the files that the sources read, known after import()
  std::uint64_t bytes_read = 0;
  std::uint64_t records_read = 0;  // uftrace: records of .dat files; tfile: frames
};

// Borrowed by importers and their sources until the timeline has run.
struct ImportContext {
  Names& names;
  Notes& notes;
  Timeline& timeline;
  ImportStats& stats;
  const ImportOptions& options;
};

struct Importer {
  std::string_view name;
  bool (*recognizes)(const std::filesystem::path& input);  // by content; a file's name proves nothing
  // Throws InputError if nothing can be understood.
  void (*import)(const std::filesystem::path& input, ImportContext& context);
  // What the input holds, for `--inspect`. Throws as import() does.
  Outline (*inspect)(const std::filesystem::path& input, Notes& notes);
  // An offset that names no input is meant for inputs of this kind.
  bool takes_common_offset = false;
};

}  // namespace convert
