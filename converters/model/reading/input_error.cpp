#include "converters/model/reading/input_error.h"

#include <fmt/format.h>

namespace convert {

Location Location::line(std::string_view path, std::uint64_t line_number) {
  return Location(fmt::format("{}:{}", path, line_number));
}

Location Location::byte(std::string_view path, std::uint64_t offset) {
  return Location(fmt::format("{}:+{:#x}", path, offset));
}

}  // namespace convert
