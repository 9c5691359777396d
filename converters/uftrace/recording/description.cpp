#include "converters/uftrace/recording/description.h"

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/support/text.h"

namespace convert::uftrace {
namespace {

// True for an option whose value is the next word, such as "-d" and "-aF". False for "-a", which has no
// value, and for "-dx.data", which contains its value.
bool wants_value(std::string_view word) {
  constexpr std::string_view kWithValue = "AbCdDEfFHKLNpPrRsStTUWZ";
  if (!word.starts_with('-') || word.starts_with("--")) return false;
  return word.find_first_of(kWithValue, 1) == word.size() - 1;
}

// Returns the program and its arguments from the command line in `info`. For "uftrace record -a ./draw 3", it
// returns "./draw" and "3".
std::vector<std::string> command_line_of(const Info& info, std::string_view exename) {
  const auto words = fxt::parts_of(info.cmdline, " ");
  for (std::size_t i = 1; i < words.size(); ++i)
    if (basename_of(words[i]) == basename_of(exename) && !wants_value(words[i - 1]))
      return {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()};
  return {std::string(exename)};
}

// Returns the machine as `uname -m` prints it, or an empty text if the machine is unknown. `version` has
// uftrace's word for the machine, as in "v0.19 ( x86_64 dwarf )".
std::string_view machine_of(std::string_view version) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMachines{
      {{"x86_64", "x86_64"}, {"aarch64", "aarch64"}, {"arm", "armv7l"}, {"i386", "i686"}}};
  for (const std::string_view word : fxt::parts_of(version, " "))
    for (const auto& [recorder, machine] : kMachines)
      if (word == recorder) return machine;
  return {};
}

}  // namespace

TraceInfo trace_info_of(const Info& info, const Sessions& sessions) {
  TraceInfo result;
  const std::size_t space = info.kernel.find(' ');
  result.system = info.kernel.substr(0, space);
  if (space != std::string::npos) result.system_release = info.kernel.substr(space + 1);
  result.machine = machine_of(info.uftrace_version);
  std::uint64_t utc_ns = 0, start_ns = sessions.sessions().empty() ? 0 : sessions.sessions().front().start_ns;
  if (const auto offset_ns = utc_offset_ns(info); offset_ns && *offset_ns >= 0 &&
                                                  !__builtin_add_overflow(*offset_ns, start_ns, &utc_ns) &&
                                                  utc_ns < kTimeLimitNs)
    result.wall_clock = {.time_ns = start_ns, .utc_ns = utc_ns};
  // command line of the last program of each process
  std::map<ProcessId, std::vector<std::string>> command_lines;
  for (const Session& session : sessions.sessions())
    command_lines[session.pid] = session.pid == sessions.sessions().front().pid
                                     ? command_line_of(info, session.exename)
                                     : std::vector{session.exename};
  std::map<ProcessId, ProcessInfo> processes;
  for (const auto& [tid, task] : sessions.tasks()) {
    if (!task.is_leader()) continue;
    const auto own = command_lines.find(task.pid);
    const ProcessId process = recorded(task.pid);
    processes[process] = {.process = process,
                          .parent = recorded(task.parent.value_or(ProcessId{})),
                          .command_line = own != command_lines.end() ? own->second : std::vector{task.name}};
  }
  for (auto& [id, process] : processes) result.processes.push_back(std::move(process));
  if (!sessions.sessions().empty())
    result.session = fmt::format("{}", fmt::join(command_lines[sessions.sessions().front().pid], " "));
  return result;
}

void describe(const Directory& directory, const Info& info, std::uint64_t time_ns, Lane& lane,
              ImportContext& context) {
  Arguments arguments;
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) arguments.add({context.names.intern(name), text});
  };
  const std::optional<std::string> note = read_optional_file(directory.file("note.txt"), context.notes);
  add("command", info.cmdline);
  if (info.exit_status) add("exit_status", ending_of(*info.exit_status));
  add("host", info.hostname);
  add("kernel", info.kernel);
  add("cpu", info.cpu_description.empty() || info.cpu_count.empty()
                 ? info.cpu_description + info.cpu_count
                 : fmt::format("{}, {}", info.cpu_description, info.cpu_count));
  add("memory", info.meminfo);
  add("recorded", info.record_date);
  add("elapsed", info.elapsed_time);
  add("version", info.uftrace_version);
  if (info.present) add("features", feature_names(info.features));
  add("note", note.value_or(""));
  lane.instant(time_ns, context.names.intern_label("event", "uftrace info"), arguments);

  if (context.options.blobs == Blobs::None) return;
  std::vector<std::string> files{"info", "task.txt", "note.txt", "default.opts"};
  for (const std::string& sid : directory.session_maps) files.push_back(fmt::format("sid-{}.map", sid));
  Notes noted_before;
  for (const std::string& file : files) {
    Notes& notes = file == "default.opts" ? context.notes : noted_before;
    const auto text = read_optional_file(directory.file(file), notes);
    if (text && !text->empty()) lane.blob(time_ns, "uftrace/" + file, std::as_bytes(std::span(*text)));
  }
}

}  // namespace convert::uftrace
