#include "converters/app/importers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "converters/app/unsupported_inputs.h"
#include "converters/model/reading/input_error.h"
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
    throw InputError(Location::file(input), error ? error.message() : "no such file or directory");
  const auto found = std::ranges::find_if(importers, [&](const auto& i) { return i->recognizes(input); });
  if (found != importers.end()) return **found;
  // Who may not look does not know what it is.
  if (::access(input.c_str(), R_OK) != 0)
    throw InputError(Location::file(input), fmt::format("can't open: {}", std::strerror(errno)));
  std::string kinds;
  for (const auto& importer : importers)
    kinds += fmt::format("{} a {}", kinds.empty() ? "neither" : " nor", importer->name());
  if (const std::string advice = advice_for(input); !advice.empty()) kinds += fmt::format(", but {}", advice);
  throw InputError(Location::file(input), kinds);
}

}  // namespace convert
