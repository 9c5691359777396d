#include "converters/model/reading/byte_cursor.h"

#include <fmt/format.h>

namespace convert {

void ByteCursor::fail_truncated(std::size_t size, std::string_view what) const {
  throw InputError(here(), fmt::format("truncated: {} needs {} bytes, {} left", what, size, left()));
}

}  // namespace convert
