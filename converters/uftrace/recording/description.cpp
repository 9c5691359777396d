#include "converters/uftrace/recording/description.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

void describe(const Directory& directory, const Info& info, std::uint64_t time_ns, Lane& lane,
              ImportContext& context) {
  Arguments arguments;
  const auto add = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) arguments.add({context.names.intern(name), text});
  };
  const std::optional<std::string> note = read_optional_file(directory.path / "note.txt", context.notes);
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
  for (const std::string& file : files) {
    const auto text = read_optional_file(directory.path / file, context.notes);
    if (text && !text->empty()) lane.blob(time_ns, "uftrace/" + file, bytes_of(*text));
  }
}

}  // namespace convert::uftrace
