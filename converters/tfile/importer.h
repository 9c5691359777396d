// The tfile room as the program meets it: what it is called, its options, and what it can do.
#pragma once

#include <memory>

#include "converters/model/importer.h"

namespace convert::tfile {

std::unique_ptr<Importer> make_importer();

}  // namespace convert::tfile
