#include "converters/app/output_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "fxt/support/compressed_files.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

// `path` need not exist.
bool lies_in(const std::string& path, const std::string& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  const fs::path outer = error ? fs::path() : fs::weakly_canonical(directory, error);
  if (error) return false;  // opening the output fails, too, and reports why
  const auto [inner, rest] = std::mismatch(whole.begin(), whole.end(), outer.begin(), outer.end());
  return rest == outer.end() && inner != whole.end();
}

// Names that promise another format than the one that is written.
void check_suffix(const std::string& output) {
  std::string suffix = fs::path(output).extension().string();
  std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 6> kPacked{".xz", ".bz2", ".lz4", ".zip", ".br", ".7z"};
  constexpr std::array<std::string_view, 7> kFormats{".json", ".pftrace", ".perfetto-trace", ".ctf",
                                                     ".html", ".svg",     ".tracy"};
  const std::string own = fs::path(output).extension().string();
  if (std::ranges::count(kPacked, suffix) != 0 || ((suffix == ".gz" || suffix == ".zst") && own != suffix))
    throw UsageError(
        fmt::format("'{}': .gz and .zst are written, {} is not; --force writes an FXT trace under that name",
                    output, own));
  if (std::ranges::count(kFormats, suffix) != 0)
    throw UsageError(fmt::format(
        "'{}': an FXT trace is written, no {} file: call it {}; --force writes it under that name", output,
        own, fs::path(output).replace_extension(".fxt").string()));
}

}  // namespace

std::string output_for(const std::string& input) {
  fs::path path = fs::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  if (path.filename() == "." || path.filename() == "..") path = fs::weakly_canonical(path);
  return path.string() + ".fxt";
}

void check_output(const ConvertOptions& options) {
  const std::string& output = options.output;
  if (output == "-") return;
  std::error_code error;
  for (const std::string& input : options.inputs) {
    if (fs::equivalent(input, output, error))
      throw UsageError(fmt::format("'{}' is both INPUT and OUTPUT", input));
    if (fs::is_directory(input, error) && lies_in(output, input))
      throw UsageError(fmt::format("the OUTPUT '{}' lies in the INPUT '{}'", output, input));
  }
  if (!fs::exists(output, error)) {
    if (!options.force) check_suffix(output);
    return;
  }
  if (::access(output.c_str(), R_OK) != 0)
    throw fxt::FileError(fmt::format("can't read {}: {}", output, std::strerror(errno)));
  for (const auto& importer : options.importers)
    if (importer->recognizes(output))
      throw UsageError(
          options.is_output_last_path
              ? fmt::format("the last name is the OUTPUT, and '{}' is a {}: name the OUTPUT by -o", output,
                            importer->name())
              : fmt::format("the OUTPUT '{}' is a {}: it would be overwritten", output, importer->name()));
}

}  // namespace convert
