// The kinds of input that the program takes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "converters/model/importer.h"

namespace convert {

using Importers = std::vector<std::unique_ptr<Importer>>;

Importers make_importers();

// The one that recognizes the input; throws InputError if none does.
const Importer& importer_of(const std::string& input, const Importers& importers);

}  // namespace convert
