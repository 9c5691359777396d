// The importers of fxt-convert.
#include <array>

#include "converters/app/importers.h"
#include "converters/tfile/importer.h"
#include "converters/uftrace/importer.h"

namespace convert {
namespace {

// For a new input format, add the importer here.
constexpr std::array kRooms{
    &uftrace::make_importer,
#ifdef FXT_CONVERT_HAS_TFILE
    &tfile::make_importer,
#endif
};

}  // namespace

Importers make_importers() {
  Importers importers;
  for (const auto make : kRooms) importers.push_back(make());
  return importers;
}

}  // namespace convert
