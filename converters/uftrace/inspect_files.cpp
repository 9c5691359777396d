// Describes the files of a recording that do not contain records of threads, for --inspect: info, .sym files,
// .dbg files, and the files of each CPU.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/outline.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/text.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/inspect.h"
#include "converters/uftrace/kernel/kernel_cursor.h"
#include "converters/uftrace/perf/perf_cursor.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/symbols/module_files.h"

namespace convert::uftrace {

namespace {

void add_text(Outline& outline, const char* name, const std::string& text) {
  if (!text.empty()) outline[name] = text;
}

std::size_t count_parts(std::string_view list) {
  std::size_t count = 0;
  split(list, ';', [&](std::string_view) { ++count; });
  return count;
}

std::size_t count_enums(std::string_view definitions) {
  constexpr std::string_view kWord = "enum ";
  std::size_t count = 0;
  for (std::size_t at = 0; (at = definitions.find(kWord, at)) != std::string_view::npos; at += kWord.size())
    if (at == 0 || definitions[at - 1] == ';') ++count;
  return count;
}

Outline symbols_in(const fxt::FilePlace& place, std::string_view text, Notes& notes) {
  Outline outline;
  outline["file"] = place.name();
  const ModuleFileHeader header = parse_module_file_header(text);
  add_text(outline, "module", header.module_path);
  add_text(outline, "build id", header.build_id);
  outline["bytes"] = text.size();
  const auto table = read_symbol_table(text, place.text(), notes);
  const auto& symbols = table->symbols();
  const auto functions = std::ranges::count_if(symbols, &Symbol::is_function);
  const auto library_calls = std::ranges::count_if(symbols, &Symbol::is_plt);
  outline["symbols"] = symbols.size();
  outline["functions"] = functions - library_calls;
  outline["library calls"] = library_calls;
  outline["variables"] = std::ranges::count_if(symbols, &Symbol::is_variable);
  return outline;
}

}  // namespace

Outline outline_of_info(const Info& info) {
  Outline outline = Outline::object();
  add_text(outline, "command", info.cmdline);
  add_text(outline, "program", info.exename);
  add_text(outline, "build id", info.build_id);
  if (info.exit_status) {
    outline["exit status"] = *info.exit_status;
    outline["ended"] = ending_of(*info.exit_status);
  }
  add_text(outline, "recorded", info.record_date);
  add_text(outline, "elapsed", info.elapsed_time);
  add_text(outline, "uftrace", info.uftrace_version);
  add_text(outline, "host", info.hostname);
  add_text(outline, "kernel", info.kernel);
  add_text(outline, "distribution", info.distro);
  add_text(outline, "cpu", info.cpu_description);
  add_text(outline, "cpus", info.cpu_count);
  add_text(outline, "memory", info.meminfo);
  add_text(outline, "load", info.load);
  add_text(outline, "system time", info.usage.systime);
  add_text(outline, "user time", info.usage.usrtime);
  add_text(outline, "context switches", info.usage.ctxsw);
  add_text(outline, "largest resident kB", info.usage.maxrss);
  add_text(outline, "page faults", info.usage.pagefault);
  add_text(outline, "block input and output", info.usage.iops);
  if (info.utc_offset_s) outline["utc offset s"] = *info.utc_offset_s;
  if (!info.tids.empty()) outline["threads"] = info.tids.size();
  return outline;
}

Outline outline_of_arguments(const Info& info) {
  Outline outline = Outline::object();
  if (!info.argument_lines.empty()) add_text(outline, "names are", info.pattern_type);
  for (const std::string& line : info.argument_lines) {
    const std::string key = line.substr(0, line.find(':'));
    const std::string value = line.substr(std::min(line.size(), key.size() + 1));
    if (key == "argspec")
      outline["arguments of"] = value;
    else if (key == "retspec")
      outline["return values of"] = value;
    else if (key == "argauto")
      outline["functions with known arguments"] = count_parts(value);
    else if (key == "retauto")
      outline["functions with known return values"] = count_parts(value);
    else if (key == "enumauto")
      outline["enums"] = count_enums(value);
    else
      outline["automatic"] = value == "1";
  }
  return outline;
}

Outline outline_of_symbols(const Directory& directory, Notes& notes) {
  Outline list = Outline::array();
  std::vector<std::string> files = directory.symbol_files;
  files.emplace_back(kKernelSymbols);
  for (const std::string& file : files)
    if (auto text = read_optional_file(directory.file(file), notes))
      list.push_back(symbols_in(directory.file(file), *text, notes));
  return list;
}

Outline outline_of_debug_files(const Directory& directory, DebugFiles& debug) {
  Outline list = Outline::array();
  for (const std::string& name : directory.debug_files) {
    const DebugFile* const file = debug.of_name(name);
    if (file == nullptr) continue;
    const DebugFile::LineCounts& counts = file->counts();
    list.push_back({{"file", name},
                    {"bytes", file->size_bytes()},
                    {"functions", counts.functions},
                    {"source lines", counts.lines},
                    {"argument lists", counts.arguments},
                    {"return values", counts.results},
                    {"enums", counts.enums}});
  }
  return list;
}

namespace {

Outline outline_of_file(const CpuFile& file) {
  return {{"file", file.place.name()}, {"cpu", file.cpu}, {"bytes", file.size_bytes}};
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

// The texts are in the order of PerfEvent::Kind.
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
  const auto header = read_kernel_header(directory, notes);
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
    Outline cpu = outline_of_file(file);
    try {
      KernelCursor cursor(file, {.pages = layout.pages, .notes = &notes});
      add_kernel_counts(cursor, layout, cpu);
    } catch (const InputError& unreadable) {
      notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
    cpus.push_back(std::move(cpu));
  }
  outline["cpus"] = std::move(cpus);
  return outline;
}

Outline outline_of_perf(const std::vector<CpuFile>& files, std::endian order) {
  Outline cpus = Outline::array();
  for (const CpuFile& file : files) {
    Outline cpu = outline_of_file(file);
    try {
      PerfCursor cursor(file, {.order = order});
      add_perf_counts(cursor, cpu);
    } catch (const InputError&) {
      // scan_perf() has added a note about this file.
    }
    cpus.push_back(std::move(cpu));
  }
  return cpus;
}

}  // namespace convert::uftrace
