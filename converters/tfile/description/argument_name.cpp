#include "converters/tfile/description/argument_name.h"

#include <algorithm>
#include <cstddef>

namespace convert::tfile {
namespace {

// True if Perfetto can make an array from the indexes. It allocates all elements up to the largest index.
bool has_only_small_indexes(std::string_view text) {
  constexpr std::size_t kMaxDigits = 3;
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    const std::size_t end = text.find(']', at);
    if (end == std::string_view::npos) return false;
    const std::string_view index = text.substr(at + 1, end - at - 1);
    if (index.empty() || index.size() > kMaxDigits ||
        index.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
  }
  return true;
}

}  // namespace

std::string argument_name(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(".["), text.size());
  std::string name(text.substr(0, end));
  if (is_own_argument(name)) name += " (program)";
  name += text.substr(end);
  if (has_only_small_indexes(text)) return name;
  std::ranges::replace(name, '[', '(');
  std::ranges::replace(name, ']', ')');
  return name;
}

}  // namespace convert::tfile
