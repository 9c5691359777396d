#include "converters/tfile/description/spoken_location.h"

#include <fmt/format.h>
#include <string_view>

namespace convert::tfile {

std::string spoken_location(const std::string& at) {
  std::string_view rest = at;
  const auto skip = [&](std::string_view word) {
    if (!rest.starts_with(word)) return false;
    rest.remove_prefix(word.size());
    return true;
  };
  skip("-qualified ");
  if (skip("-source ")) {
    const std::size_t option = rest.find(" -line ");
    if (option != std::string_view::npos)
      return fmt::format("{}:{}", rest.substr(0, option), rest.substr(option + 7));
    const std::size_t function = rest.find(" -function ");
    if (function != std::string_view::npos) return std::string(rest.substr(function + 11));
  }
  skip("-function ");
  skip("-qualified ");
  return std::string(rest);
}

}  // namespace convert::tfile
