#include "converters/app/output_rules.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "converters/model/option.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

// `path` need not exist.
bool lies_in(const fs::path& path, const fs::path& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error), outer = fs::weakly_canonical(directory, error);
  const auto [inner, rest] = std::mismatch(whole.begin(), whole.end(), outer.begin(), outer.end());
  return rest == outer.end() && inner != whole.end();
}

}  // namespace

std::string output_for(const std::string& input) {
  fs::path path = fs::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  if (path.filename() == "." || path.filename() == "..") path = fs::weakly_canonical(path);
  return path.string() + ".fxt";
}

void check_output(const std::string& output, const std::vector<std::string>& inputs,
                  const Importers& importers) {
  if (output == "-") return;
  std::error_code error;
  for (const std::string& input : inputs) {
    if (fs::equivalent(input, output, error))
      throw UsageError(fmt::format("'{}' is both INPUT and OUTPUT", input));
    if (fs::is_directory(input, error) && lies_in(output, input))
      throw UsageError(fmt::format("the OUTPUT '{}' lies in the INPUT '{}'", output, input));
  }
  if (!fs::is_regular_file(output, error)) return;
  for (const auto& importer : importers)
    if (importer->recognizes(output))
      throw UsageError(
          fmt::format("the OUTPUT '{}' is a {}: it would be overwritten", output, importer->name()));
}

}  // namespace convert
