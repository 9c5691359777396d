#include "converters/uftrace/kernel/kernel_outline.h"

#include <map>
#include <string>

#include "converters/model/reading/input_error.h"
#include "converters/uftrace/kernel/graph_formats.h"
#include "converters/uftrace/kernel/kernel_cursor.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

struct Counts {
  std::uint64_t events = 0, gaps = 0, lost = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
  std::map<std::uint64_t, std::uint64_t> by_type;
};

Counts count_events(KernelCursor& cursor, const KernelHeader& header) {
  const CommonFields common(header);
  Counts counts;
  while (cursor.next()) {
    const KernelEvent& event = cursor.event();
    if (event.kind == KernelEvent::Kind::Lost) {
      ++counts.gaps;
      counts.lost += event.lost;
      continue;
    }
    if (counts.events++ == 0) counts.first_ns = event.order_ns;
    counts.last_ns = event.order_ns;
    if (common.fit(event.payload)) ++counts.by_type[common.type.load_from(event.payload, header.pages.order)];
  }
  return counts;
}

std::string name_of(std::uint64_t type, const KernelHeader& header) {
  for (const EventFormat& format : header.formats)
    if (format.id == type) return format.system + ":" + format.name;
  return "type " + std::to_string(type);
}

Outline outline_of_cpu(const CpuFile& file, const KernelHeader& header, Notes& notes) {
  Outline outline{{"file", file.path.filename().string()}, {"cpu", file.cpu}, {"bytes", file.size_bytes}};
  try {
    KernelCursor cursor(file, {.pages = header.pages, .notes = &notes});
    const Counts counts = count_events(cursor, header);
    outline["pages"] = cursor.pages();
    outline["events"] = counts.events;
    outline["gaps"] = counts.gaps;
    outline["lost events"] = counts.lost;
    if (counts.events == 0) return outline;
    Outline by_kind = Outline::object();
    for (const auto& [type, count] : counts.by_type) by_kind[name_of(type, header)] = count;
    outline["events by kind"] = std::move(by_kind);
    outline["first ns"] = counts.first_ns;
    outline["last ns"] = counts.last_ns;
  } catch (const InputError& unreadable) {
    notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
  }
  return outline;
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
      formats.push_back({{"format", format.system + ":" + format.name},
                         {"type", format.id},
                         {"fields", format.fields.size()}});
    outline["formats"] = std::move(formats);
  }
  if (directory.kernel_cpus.empty()) return outline;
  Outline cpus = Outline::array();
  for (const CpuFile& file : directory.kernel_cpus)
    cpus.push_back(outline_of_cpu(file, header.value_or(KernelHeader{}), notes));
  outline["cpus"] = std::move(cpus);
  return outline;
}

}  // namespace convert::uftrace
