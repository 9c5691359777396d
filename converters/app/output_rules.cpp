#include "converters/app/output_rules.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "fxt/support/compressed_files.h"
#include "fxt/tools/trace_files.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

// True if `path`, which need not exist, is inside the directory.
bool lies_in(const std::string& path, const std::string& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path outer = error ? fs::path() : fs::weakly_canonical(directory, error);
  if (error) return false;  // opening the output will also fail, and report the reason
  const auto [inner, rest] = std::mismatch(whole.begin(), whole.end(), outer.begin(), outer.end());
  return rest == outer.end() && inner != whole.end();
}

bool is_called_as_output(std::string_view path) {
  path.remove_suffix(fxt::packed_suffix(path).size());
  return path.ends_with(fxt::tools::format_of(path).suffix);
}

}  // namespace

std::string output_for(const std::string& input, const fxt::tools::TraceFormat& format) {
  fs::path path = fs::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // `path` ends with a slash
  if (path.filename() == "." || path.filename() == "..") path = fs::weakly_canonical(path);
  return path.string().append(format.suffix);
}

void check_output(const ConvertOptions& options) {
  const std::string& output = options.output;
  fxt::tools::check_target(output, *options.format, options.force);
  if (output == "-") return;
  std::error_code error;
  for (const std::string& input : options.inputs) {
    if (options.is_output_last_path && is_called_as_output(input) && !fs::exists(input, error))
      throw UsageError(fmt::format(
          "'{}' does not exist; only the last path is the OUTPUT, and all others are INPUTs", input));
    if (fs::equivalent(input, output, error))
      throw UsageError(fmt::format("'{}' is both INPUT and OUTPUT; choose another OUTPUT", input));
    const auto is_of = [&](const auto& importer) { return importer->recognizes(input); };
    if (fs::is_directory(input, error) && lies_in(output, input) &&
        std::ranges::any_of(options.importers, is_of))
      throw UsageError(
          fmt::format("the OUTPUT '{}' is inside the INPUT '{}'; choose another OUTPUT", output, input));
  }
  if (!fs::exists(output, error)) return;
  if (::access(output.c_str(), R_OK) != 0)
    throw fxt::FileError(fmt::format("{}: can't read: {}", output, std::strerror(errno)));
  for (const auto& importer : options.importers)
    if (importer->recognizes(output))
      throw UsageError(
          options.is_output_last_path
              ? fmt::format("the last path is the OUTPUT, but '{}' is a {}; name the OUTPUT with -o", output,
                            importer->name())
              : fmt::format("the OUTPUT '{}' is a {}, which would be overwritten; choose another OUTPUT",
                            output, importer->name()));
}

}  // namespace convert
