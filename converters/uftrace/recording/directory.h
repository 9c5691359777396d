// Lists the files of a recording, and reads optional text files. All files are examined and opened through
// Directory::file(). Therefore, a malicious recording can't make us read other files of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"
#include "converters/model/reading/text_file.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/file_place.h"

namespace convert::uftrace {

// `keep_open` is for InputFile. It is true if all files of the recording can be open at the same time.
struct ThreadFile {
  ThreadId tid;
  fxt::FilePlace place;
  std::uint64_t size_bytes;
  bool keep_open = true;
};

struct CpuFile {
  std::uint32_t cpu;
  fxt::FilePlace place;
  std::uint64_t size_bytes;
  bool keep_open = true;
};

struct Directory {
  std::filesystem::path path = {};
  std::shared_ptr<const fxt::Folder> folder = {};
  std::vector<ThreadFile> threads = {};        // <TID>.dat, sorted by tid
  std::vector<CpuFile> perf_cpus = {};         // perf-cpu<N>.dat, sorted by CPU
  std::vector<CpuFile> kernel_cpus = {};       // kernel-cpu<N>.dat, sorted by CPU
  std::vector<std::string> session_maps = {};  // the ids of sid-<id>.map, sorted
  std::vector<std::string> symbol_files = {};  // names of *.sym, sorted
  std::vector<std::string> debug_files = {};   // names of *.dbg, sorted
  std::vector<std::string> refused = {};       // the reason for each file that is not listed
  bool is_growing = false;                     // true while a recorder still writes to the directory

  // Returns the place of a file in the recording. Symbolic links must not lead out of the directory.
  fxt::FilePlace file(std::string_view name) const { return fxt::FilePlace::beneath(folder, name); }
};

// Throws InputError if `path` is not a directory that can be listed.
Directory list_directory(const std::filesystem::path& path);

// Like read_text_file(). But if the file can't be read, adds a note and returns nothing.
std::optional<std::string> read_optional_file(const fxt::FilePlace& place, Notes& notes,
                                              std::size_t limit_bytes = std::string::npos);

// Calls `read` with a LineReader for each line of a text. If `read` throws InputError, adds a note.
template <typename Read>
void read_lines(std::string_view text, std::string_view path, Notes& notes, const Read& read) {
  Lines lines(text);
  while (const auto line = lines.next()) {
    try {
      read(LineReader(*line, path, lines.number()));
    } catch (const InputError& damage) {
      notes.add(kDamagedLine, [&] { return std::string(damage.what()); });
    }
  }
}

}  // namespace convert::uftrace
