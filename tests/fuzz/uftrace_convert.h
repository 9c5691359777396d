// Shared by the fuzz targets for uftrace recordings: a temporary directory, and a conversion. The trace must
// follow the rules of all readers, have balanced calls, and be the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/outline.h"
#include "converters/model/sink/fxt_sink.h"
#include "converters/uftrace/importer.h"
#include "converters/uftrace/inspect.h"
#include "fxt/output.h"
#include "tests/fuzz/judge.h"

namespace convert::uftrace {

inline void write_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::remove(path);  // faster than truncating the file, which may wait for the disk
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

inline std::filesystem::path fuzz_directory() {
  std::string name = (std::filesystem::temp_directory_path() / "fuzz-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  return name;
}

// A stage that checks that the starts and ends of calls are balanced, and passes all events to FxtSink.
class Balance : public SinkStage {
 public:
  using SinkStage::SinkStage;
  void add_lanes(std::span<const LaneInfo> lanes) override {
    SinkStage::add_lanes(lanes);
    open_.resize(lanes.size());
  }
  void write(std::span<const MergedRun> runs) override {
    for (const auto& [events, lane] : runs) {
      for (const PendingEvent& slot : events) {
        if (slot.kind == EventKind::Begin) ++open_[lane];
        if (slot.kind == EventKind::End && open_[lane]-- == 0) std::abort();
        if (slot.kind == EventKind::Open) std::abort();
      }
    }
    SinkStage::write(runs);
  }
  void check() const {
    for (const std::size_t open : open_)
      if (open != 0) std::abort();
  }

 private:
  std::vector<std::size_t> open_;
};

inline std::string converted(const std::filesystem::path& recording, std::size_t jobs,
                             const RecordingOptions& own) {
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline(
      {.lanes = {.limits = FxtSink::kLimits, .max_depth = 32}, .lookahead_bytes = 16384, .jobs = jobs},
      notes);
  const ImportOptions options;
  ImportContext context{names, notes, timeline, stats, options};
  import(recording, context, own);
  fxt::MemoryOutput output;
  fxt::Writer writer(output);
  FxtSink sink(writer, names);
  Balance balance(sink);
  timeline.run(balance, [] {});
  writer.flush();
  timeline.note_losses(names, "out.fxt");
  sink.note_losses(timeline, "out.fxt", notes);
  balance.check();
  require_no_error(output);
  return output.bytes();
}

inline void convert_and_check(const std::filesystem::path& recording, const RecordingOptions& own = {}) {
  if (converted(recording, 1, own) != converted(recording, 3, own)) std::abort();
  Notes notes;
  text_of(inspect(recording, notes));
}

}  // namespace convert::uftrace
