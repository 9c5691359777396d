// The kinds of input that the program converts, and the selection of the importer.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/importer.h"

namespace convert {

// All copies of an `Options` share its importers.
using Importers = std::vector<std::shared_ptr<Importer>>;

// All importers of the program; defined in rooms.cpp.
Importers make_importers();

std::vector<std::string_view> names_of(const Importers& importers);
std::vector<std::string_view> names_of_joining(const Importers& importers);
// Returns "neither a uftrace recording nor a GDB trace file", for example.
std::string none_of(const Importers& importers);

// Returns the importer that recognizes the input. Throws InputError with advice if none does.
const Importer& importer_of(const std::string& input, const Importers& importers);

}  // namespace convert
