// An open trace file with its description, byte order and register layout.
#pragma once

#include <bit>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "converters/model/notes.h"
#include "converters/model/reading/input_file.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/frames/frame_format.h"

namespace convert::tfile {

// Facts about the target, from the file of the traced program.
struct MachineHint {
  std::optional<std::endian> order;
  std::string architecture;  // GDB's name; empty if unknown
};

struct TraceFile {
  std::string path;
  Description description;
  FrameFormat format;
  std::string architecture;  // empty: unknown
  std::string os_abi;
  std::optional<RegisterLayout> layout;
  bool layout_is_guessed = false;
  std::unique_ptr<FileWindow> file;

  const RegisterLayout* register_layout() const { return layout ? &*layout : nullptr; }  // null if unknown
};

// Throws InputError if the file can't be read or is not a trace file of a known version.
TraceFile open_trace_file(const std::filesystem::path& path, const MachineHint& hint, Notes& notes);

}  // namespace convert::tfile
