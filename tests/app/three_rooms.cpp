// The importers of a program with a third format, the example format.
#include "converters/app/importers.h"
#include "converters/tfile/importer.h"
#include "converters/uftrace/importer.h"
#include "tests/model/example_format/calls_format.h"

namespace convert {

Importers make_importers() {
  Importers importers;
  importers.push_back(uftrace::make_importer());
  importers.push_back(tfile::make_importer());
  importers.push_back(example::make_importer());
  return importers;
}

}  // namespace convert
