#include "converters/uftrace/filters/c_size.h"

#include "converters/model/reading/text.h"
#include "fxt/quantity_text.h"

namespace convert::uftrace {

std::optional<std::uint64_t> c_size(std::string_view text) {
  if (const auto number = c_number(text)) return number;
  const bool has_unit = !text.empty() && !is_digit(text.back());
  return has_unit ? fxt::parse_size(text) : std::nullopt;
}

}  // namespace convert::uftrace
