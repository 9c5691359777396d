#include "converters/app/importers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "converters/model/reading/input_error.h"
#include "converters/tfile/importer.h"
#include "converters/uftrace/importer.h"
#include "fxt/support/foreign_files.h"
#include "fxt/tools/trace_files.h"

namespace convert {
namespace {

// A new format adds its importer here.
constexpr std::array kRooms{
    &uftrace::make_importer,
#ifdef FXT_CONVERT_HAS_TFILE
    &tfile::make_importer,
#endif
};

namespace fs = std::filesystem;

// What an input that no importer recognizes is, and what to do with it.
std::string advice_for(const std::string& input, const Importers& importers) {
  std::error_code error;
  const fs::path path(input);
  if (fs::is_directory(path, error) && fs::is_empty(path, error)) return "an empty directory";
  for (const auto& importer : importers)
    if (std::string advice = importer->advice_for(path); !advice.empty()) return advice;
  if (!fs::is_directory(path, error)) {
    if (!fs::is_regular_file(path, error)) return "a device, FIFO or socket; standard input is read as -";
    if (fxt::tools::is_fxt(input))
      return "an FXT trace already: viewers open it, fxt-dump prints it, fxt-cut takes parts of it";
  }
  return fxt::foreign_kind_of(input);
}

}  // namespace

Importers make_importers() {
  Importers importers;
  for (const auto make : kRooms) importers.push_back(make());
  return importers;
}

const Importer& importer_of(const std::string& input, const Importers& importers) {
  std::error_code error;
  if (!std::filesystem::exists(input, error))
    throw InputError(Location::file(input), error ? error.message() : "no such file or directory");
  const auto found = std::ranges::find_if(importers, [&](const auto& i) { return i->recognizes(input); });
  if (found != importers.end()) return **found;
  // An unreadable input is recognized by nobody.
  if (::access(input.c_str(), R_OK) != 0)
    throw InputError(Location::file(input), fmt::format("can't open: {}", std::strerror(errno)));
  std::vector<std::string_view> names;
  for (const auto& importer : importers) names.push_back(importer->name());
  std::string kinds =
      fmt::format("{} a {}", names.size() == 1 ? "not" : "neither", fmt::join(names, " nor a "));
  if (const std::string advice = advice_for(input, importers); !advice.empty())
    kinds += fmt::format(", but {}", advice);
  throw InputError(Location::file(input), kinds);
}

}  // namespace convert
