#include "converters/app/importers.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>
#include <unistd.h>

#include "converters/model/reading/input_error.h"
#include "fxt/support/foreign_files.h"
#include "fxt/tools/trace_files.h"

namespace convert {
namespace {

namespace fs = std::filesystem;

std::string advice_for(const std::string& input, const Importers& importers) {
  std::error_code error;
  const fs::path path(input);
  if (fs::is_directory(path, error) && fs::is_empty(path, error)) return "an empty directory";
  for (const auto& importer : importers)
    if (std::string advice = importer->advice_for(path); !advice.empty()) return advice;
  if (!fs::is_directory(path, error)) {
    if (!fs::is_regular_file(path, error)) return "a device, FIFO or socket; to read standard input, use -";
    if (fxt::tools::is_fxt(input))
      return "an FXT trace; viewers open it, fxt-dump prints it, and fxt-cut takes parts of it";
  }
  const std::string kind = fxt::foreign_kind_of(input);
  return kind.starts_with("a tar archive") ? "a damaged tar archive" : kind;  // intact ones are unpacked
}

}  // namespace

std::vector<std::string_view> names_of(const Importers& importers) {
  std::vector<std::string_view> names;
  for (const auto& importer : importers) names.push_back(importer->name());
  return names;
}

std::vector<std::string_view> names_of_joining(const Importers& importers) {
  std::vector<std::string_view> names;
  for (const auto& importer : importers)
    if (importer->joins_others()) names.push_back(importer->name());
  return names;
}

std::string none_of(const Importers& importers) {
  const auto names = names_of(importers);
  return fmt::format("{} a {}", names.size() == 1 ? "not" : "neither", fmt::join(names, " nor a "));
}

const Importer& importer_of(const std::string& input, const Importers& importers) {
  std::error_code error;
  if (!std::filesystem::exists(input, error))
    throw InputError(Location::file(input),
                     fmt::format("can't open: {}{}", error ? error.message() : std::strerror(ENOENT),
                                 fxt::advice_for_url(input)));
  const auto found = std::ranges::find_if(importers, [&](const auto& i) { return i->recognizes(input); });
  if (found != importers.end()) return **found;
  if (::access(input.c_str(), R_OK) != 0)
    throw InputError(Location::file(input), fmt::format("can't open: {}", std::strerror(errno)));
  std::string kinds = none_of(importers);
  if (const std::string advice = advice_for(input, importers); !advice.empty())
    kinds += fmt::format(", but {}", advice);
  throw InputError(Location::file(input), kinds);
}

}  // namespace convert
