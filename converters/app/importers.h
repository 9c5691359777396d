// The kinds of input that the program converts, and the choice between them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "converters/model/importer.h"

namespace convert {

using Importers = std::vector<std::unique_ptr<Importer>>;

Importers make_importers();

// Returns the importer that recognizes the input. Throws InputError with advice if none does.
const Importer& importer_of(const std::string& input, const Importers& importers);

}  // namespace convert
