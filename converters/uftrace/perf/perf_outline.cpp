#include "converters/uftrace/perf/perf_outline.h"

#include <array>
#include <string_view>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/perf/perf_cursor.h"

namespace convert::uftrace {
namespace {

// By PerfEvent::Kind.
constexpr std::array<std::string_view, 8> kNames{"switches in", "switches out", "preempted", "forks",
                                                 "exits",       "names",        "execs",     "lost"};

void count_events(PerfCursor& cursor, Outline& outline) {
  std::array<std::uint64_t, kNames.size()> counts{};
  std::uint64_t first_ns = 0, last_ns = 0, count = 0;
  for (; cursor.next(); ++count) {
    const PerfEvent& event = cursor.event();
    counts[static_cast<std::size_t>(event.kind)] += event.kind == PerfEvent::Kind::Lost ? event.lost : 1;
    if (count == 0) first_ns = event.time_ns;
    last_ns = event.time_ns;
  }
  if (count == 0) return;
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (counts[i] != 0) outline[std::string(kNames[i])] = counts[i];
  outline["first ns"] = first_ns;
  outline["last ns"] = last_ns;
}

}  // namespace

Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order) {
  Outline list = Outline::array();
  for (const CpuFile& file : files) {
    Outline outline{{"file", file.path.filename().string()}, {"cpu", file.cpu}, {"bytes", file.size_bytes}};
    try {
      PerfCursor cursor(file, {.order = order});
      count_events(cursor, outline);
    } catch (const InputError&) {
      // Can't be opened; scan_perf() says so.
    }
    list.push_back(std::move(outline));
  }
  return list;
}

}  // namespace convert::uftrace
