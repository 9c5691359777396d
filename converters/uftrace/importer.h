// The uftrace room as the program meets it: what it is called, its options, and what it can do.
#pragma once

#include <memory>

#include "converters/model/importer.h"

namespace convert::uftrace {

std::unique_ptr<Importer> make_importer();

}  // namespace convert::uftrace
