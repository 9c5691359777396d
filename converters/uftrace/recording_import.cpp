#include "converters/uftrace/recording_import.h"

#include <fmt/format.h>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

// The kernel's files can't be read without the formats of their events.
KernelFiles kernel_files_of(const Directory& directory, Notes& notes) {
  std::vector<CpuFile> files = directory.kernel_cpus;
  std::erase_if(files, [](const CpuFile& file) { return file.size_bytes == 0; });
  if (files.empty()) return {};
  auto header = read_kernel_header(directory.path, notes);
  if (header && !header->formats.empty()) return {.files = std::move(files), .header = std::move(*header)};
  for (const CpuFile& file : files)
    notes.add(
        kFileSkipped, Location::file(file.path.string()),
        fmt::format("{} bytes: kernel events, whose formats are missing (kernel_header)", file.size_bytes));
  return {};
}

std::unique_ptr<FilterTable> filter_table_of(const RecordingOptions& wanted, ImportContext& context,
                                             Symbolizer& symbolizer, const SourceLines& lines) {
  if (!wanted.filters.any() && !wanted.kernel_only) return nullptr;
  return std::make_unique<FilterTable>(wanted.filters, wanted.kernel_only,
                                       FilterTable::Functions{.symbolizer = symbolizer,
                                                              .lines = lines,
                                                              .names = context.names,
                                                              .demangle = context.options.demangle});
}

}  // namespace

RecordingImport::RecordingImport(const std::filesystem::path& path, ImportContext& context,
                                 const RecordingOptions& wanted)
    : Recording(path, {.names = context.names,
                       .notes = context.notes,
                       .symbol_notes = context.timeline.new_notes(),
                       .debug_notes = context.timeline.new_notes(),
                       .demangle = context.options.demangle,
                       .elf = wanted.elf,
                       .shortest_ns = wanted.filters.time_ns}),
      options(wanted),
      kernel(wanted.no_kernel ? KernelFiles{} : kernel_files_of(directory, context.notes)),
      tracepoints(kernel.header, kernel.files.empty() ? nullptr : symbolizer.kernel_symbols(), context.names),
      lines(debug, context.names),
      filters(filter_table_of(wanted, context, symbolizer, lines)),
      shared{.symbolizer = symbolizer,
             .lines = lines,
             .events = {.symbolizer = symbolizer,
                        .names = context.names,
                        .user_events = user_events,
                        .demangle = context.options.demangle,
                        .word_size = info.bits / 8,
                        .order = info.order},
             .filters = filters.get(),
             .shows_values = !wanted.no_args && !wanted.kernel_only,
             .shows_events = shows_own_events(),
             .workers = std::vector<WorkerScratch>(context.timeline.jobs())} {
  // With -C, only callers of the functions are shown, and switches call nothing. They have no source file.
  using Of = FilterItem::Option;
  options.no_sched |= options.filters.has(Of::Caller) || options.filters.has(Of::Location);
}

}  // namespace convert::uftrace
