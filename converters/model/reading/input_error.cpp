#include "converters/model/reading/input_error.h"

#include <fmt/format.h>

namespace convert {

Place Place::line(std::string_view path, std::uint64_t line_number) {
  return Place(fmt::format("{}:{}", path, line_number));
}

Place Place::byte(std::string_view path, std::uint64_t offset) {
  return Place(fmt::format("{}:+{:#x}", path, offset));
}

}  // namespace convert
