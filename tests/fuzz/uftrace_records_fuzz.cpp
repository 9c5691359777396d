// Any bytes as the record files of a parent and its forked child: nothing may crash or hang, and what comes
// out must be a file that keeps the rules (the Writer throws otherwise) with calls that balance.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <span>
#include <string_view>
#include <unistd.h>

#include "converters/model/sink/fxt_sink.h"
#include "converters/uftrace/import.h"
#include "converters/uftrace/inspect/inspect.h"
#include "fxt/output.h"

namespace {

using namespace convert;

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

// One directory for all runs of this process; only the record files change.
const std::filesystem::path& recording() {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "records-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    const std::filesystem::path directory = name;
    write_file(directory / "task.txt",
               "SESS timestamp=0.000000001 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000002 tid=100 pid=100\n"
               "FORK timestamp=0.000000100 pid=101 ppid=100\n"
               "DLOP timestamp=0.000000150 tid=100 sid=0123456789abcdef base=700000 libname=\"plug.so\"\n"
               "SESS timestamp=0.000000200 pid=100 sid=0123456789abcdee exename=\"/bin/demo\"\n"
               "TASK timestamp=0.000000210 tid=100 pid=100\n");
    for (const char* sid : {"0123456789abcdef", "0123456789abcdee"})
      write_file(directory / fmt::format("sid-{}.map", sid),
                 "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n");
    write_file(directory / "demo.sym",
               "0000000000001000 00000100 T main\n0000000000001300 00000100 T _setjmp\n");
    return directory;
  }();
  return path;
}

// A sink around FxtSink that also counts begins and ends.
class Balance : public EventSink {
 public:
  explicit Balance(FxtSink& sink) : sink_(sink) {}
  void add_lanes(std::span<const LaneInfo> lanes) override {
    sink_.add_lanes(lanes);
    open_.resize(lanes.size());
  }
  void write(std::span<const MergedEvent> events) override {
    for (const auto& [slot, lane] : events) {
      if (slot->kind == SlotKind::Begin) ++open_[lane];
      if (slot->kind == SlotKind::End && open_[lane]-- == 0) std::abort();
      if (slot->kind == SlotKind::Open) std::abort();
    }
    sink_.write(events);
  }
  void check() const {
    for (const std::size_t open : open_)
      if (open != 0) std::abort();
  }

 private:
  FxtSink& sink_;
  std::vector<std::size_t> open_;
};

}  // namespace

// The first byte says how much of the rest is the child's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t kParts = 256;
  const std::size_t split = bytes.size() * data[0] / kParts;
  write_file(recording() / "100.dat", bytes.substr(split));
  write_file(recording() / "101.dat", bytes.substr(0, split));

  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({.lanes = {.max_depth = 32}, .lookahead_bytes = 16384}, notes);
  const ImportOptions options;
  ImportContext context{names, notes, timeline, stats, options};
  uftrace::import(recording(), context);
  fxt::MemoryOutput output;
  // The sink puts some records straight into the buffer: the Writer sees no begins there.
  fxt::Writer writer(output, {.long_spans = true, .trust_nesting = true});
  FxtSink sink(writer, names, notes);
  Balance balance(sink);
  timeline.run(balance, [] {});
  writer.flush();
  sink.finish(timeline, "out.fxt");
  balance.check();
  text_of(uftrace::inspect(recording(), notes));
  return 0;
}
