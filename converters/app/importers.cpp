#include "converters/app/importers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

#include "converters/model/input_error.h"
#include "converters/tfile/importer.h"
#include "converters/uftrace/importer.h"

namespace convert {
namespace {

// To add a format: a room with an Importer, one line here, one sample.
constexpr std::array kRooms{
    &uftrace::make_importer,
    &tfile::make_importer,
};

}  // namespace

Importers make_importers() {
  Importers importers;
  for (const auto make : kRooms) importers.push_back(make());
  return importers;
}

const Importer& importer_of(const std::string& input, const Importers& importers) {
  std::error_code error;
  if (!std::filesystem::exists(input, error))
    throw InputError(Place::file(input), error ? error.message() : "no such file or directory");
  const auto found = std::ranges::find_if(importers, [&](const auto& i) { return i->recognizes(input); });
  if (found != importers.end()) return **found;
  std::string kinds;
  for (const auto& importer : importers)
    kinds += fmt::format("{} a {}", kinds.empty() ? "neither" : " nor", importer->name());
  throw InputError(Place::file(input), kinds);
}

}  // namespace convert
