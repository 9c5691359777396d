// What --inspect says of the files that have one for each cpu: kernel and perf data.
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "converters/model/outline.h"
#include "converters/model/reading/input_error.h"
#include "converters/uftrace/inspect_sections.h"
#include "converters/uftrace/kernel/graph_formats.h"
#include "converters/uftrace/kernel/kernel_cursor.h"
#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

Outline outline_of_file(const CpuFile& file) {
  return {{"file", file.path.filename().string()}, {"cpu", file.cpu}, {"bytes", file.size_bytes}};
}

// ---- The kernel ----

std::string format_name(const EventFormat& format) { return format.system + ":" + format.name; }

std::string type_name(std::uint64_t type, const KernelHeader& header) {
  for (const EventFormat& format : header.formats)
    if (format.id == type) return format_name(format);
  return "type " + std::to_string(type);
}

void add_kernel_counts(KernelCursor& cursor, const KernelHeader& header, Outline& outline) {
  const CommonFields common(header);
  std::uint64_t events = 0, gaps = 0, lost = 0, first_ns = 0, last_ns = 0;
  std::map<std::uint64_t, std::uint64_t> by_type;
  while (cursor.next()) {
    const KernelEvent& event = cursor.event();
    if (event.kind == KernelEvent::Kind::Lost) {
      ++gaps;
      lost += event.lost;
      continue;
    }
    if (events++ == 0) first_ns = event.order_ns;
    last_ns = event.order_ns;
    if (common.fit(event.payload)) ++by_type[common.type.load_from(event.payload, header.pages.order)];
  }
  outline["pages"] = cursor.pages();
  outline["events"] = events;
  outline["gaps"] = gaps;
  outline["lost events"] = lost;
  if (events == 0) return;
  Outline by_kind = Outline::object();
  for (const auto& [type, count] : by_type) by_kind[type_name(type, header)] = count;
  outline["events by kind"] = std::move(by_kind);
  outline["first ns"] = first_ns;
  outline["last ns"] = last_ns;
}

// ---- Perf ----

// By PerfEvent::Kind.
constexpr std::array<std::string_view, 8> kPerfKinds{"switches in", "switches out", "preempted", "forks",
                                                     "exits",       "names",        "execs",     "lost"};

void add_perf_counts(PerfCursor& cursor, Outline& outline) {
  std::array<std::uint64_t, kPerfKinds.size()> counts{};
  std::uint64_t first_ns = 0, last_ns = 0, events = 0;
  for (; cursor.next(); ++events) {
    const PerfEvent& event = cursor.event();
    counts[static_cast<std::size_t>(event.kind)] += event.kind == PerfEvent::Kind::Lost ? event.lost : 1;
    if (events == 0) first_ns = event.time_ns;
    last_ns = event.time_ns;
  }
  if (events == 0) return;
  for (std::size_t i = 0; i < kPerfKinds.size(); ++i)
    if (counts[i] != 0) outline[std::string(kPerfKinds[i])] = counts[i];
  outline["first ns"] = first_ns;
  outline["last ns"] = last_ns;
}

}  // namespace

Outline outline_of_kernel(const Directory& directory, Notes& notes) {
  Outline outline = Outline::object();
  const auto header = read_kernel_header(directory.path, notes);
  if (header) {
    outline["page bytes"] = header->pages.page_bytes;
    outline["long bytes"] = header->pages.long_bytes;
    outline["byte order"] = header->pages.order == std::endian::little ? "little" : "big";
    Outline formats = Outline::array();
    for (const EventFormat& format : header->formats)
      formats.push_back(
          {{"format", format_name(format)}, {"type", format.id}, {"fields", format.fields.size()}});
    outline["formats"] = std::move(formats);
  }
  if (directory.kernel_cpus.empty()) return outline;
  const KernelHeader layout = header.value_or(KernelHeader{});
  Outline cpus = Outline::array();
  for (const CpuFile& file : directory.kernel_cpus) {
    cpus.push_back(outline_of_file(file));
    try {
      KernelCursor cursor(file, {.pages = layout.pages, .notes = &notes});
      add_kernel_counts(cursor, layout, cpus.back());
    } catch (const InputError& unreadable) {
      notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
  }
  outline["cpus"] = std::move(cpus);
  return outline;
}

Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order) {
  Outline cpus = Outline::array();
  for (const CpuFile& file : files) {
    cpus.push_back(outline_of_file(file));
    try {
      PerfCursor cursor(file, {.order = order});
      add_perf_counts(cursor, cpus.back());
    } catch (const InputError&) {
      // Can't be opened: scan_perf() has noted it.
    }
  }
  return cpus;
}

}  // namespace convert::uftrace
