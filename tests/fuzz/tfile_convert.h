// Converts any bytes as a trace file, for the fuzz targets. The bytes may be rejected. If they are converted,
// the trace must follow the rules of all readers.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "converters/model/sink/fxt_sink.h"
#include "converters/tfile/importer.h"
#include "fxt/output.h"
#include "tests/fuzz/judge.h"

namespace convert {

inline const std::filesystem::path& fuzzed_trace() {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "trace-XXXXXX").string();
    const int file = ::mkstemp(name.data());
    if (file < 0) std::abort();
    ::close(file);
    return std::filesystem::path(name);
  }();
  return path;
}

inline void convert_trace(std::string_view bytes, tfile::TraceFileOptions own = {}) {
  std::ofstream(fuzzed_trace(), std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({.lanes = {.limits = FxtSink::kLimits, .max_depth = 32}, .lookahead_bytes = 16384},
                    notes);
  ImportOptions options;
  options.blobs = Blobs::All;
  ImportContext context{names, notes, timeline, stats, options};
  try {
    own.registers = tfile::RegisterChoice::All;
    tfile::import(fuzzed_trace(), context, own);
  } catch (const InputError&) {
    return;
  }
  fxt::MemoryOutput output;
  fxt::Writer writer(output);
  FxtSink sink(writer, names);
  timeline.run(sink, [] {});
  writer.flush();
  timeline.note_losses(names, "out.fxt");
  sink.note_losses(timeline, "out.fxt", notes);
  require_no_error(output);
  text_of(tfile::inspect(fuzzed_trace(), notes, own));
}

}  // namespace convert
