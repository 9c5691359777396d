// Text files that a recording makes sense without.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "converters/model/notes.h"
#include "converters/model/reading/text_file.h"

namespace convert::uftrace {

// As read_text_file(), but a file that can't be read is noted and treated as missing.
std::optional<std::string> read_optional_file(const std::filesystem::path& path, Notes& notes,
                                              std::size_t limit_bytes = std::string::npos);

}  // namespace convert::uftrace
