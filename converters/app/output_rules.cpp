#include "converters/app/output_rules.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <system_error>

#include <boost/endian/conversion.hpp>

#include "converters/model/option.h"
#include "fxt/format.h"
#include "fxt/tools/input_file.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

// Whether `path`, which need not be there, lies in the directory.
bool lies_in(const fs::path& path, const fs::path& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error), outer = fs::weakly_canonical(directory, error);
  const auto [inner, rest] = std::mismatch(whole.begin(), whole.end(), outer.begin(), outer.end());
  return rest == outer.end() && inner != whole.end();
}

}  // namespace

bool is_fxt(const std::string& path) {
  std::uint64_t word = 0;
  try {
    const auto input = fxt::tools::open_input(path);
    auto room = std::as_writable_bytes(std::span(&word, 1));
    while (!room.empty()) {
      const std::size_t got = input->read(room);
      if (got == 0) return false;
      room = room.subspan(got);
    }
  } catch (const std::exception&) {
    return false;  // compressed by name only, or not to be read
  }
  return word == fxt::kMagicRecord || word == boost::endian::endian_reverse(fxt::kMagicRecord);
}

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

void check_replaceable(const std::string& output) {
  std::error_code error;
  if (output == "-" || !fs::is_regular_file(output, error) || fs::file_size(output, error) == 0 ||
      is_fxt(output))
    return;
  throw UsageError(fmt::format("'{}' is no FXT trace, and would be overwritten; --force does it", output));
}

}  // namespace convert
