#include "fxt/tools/text/printable.h"

#include <fmt/format.h>

namespace fxt::tools {

std::string printable(std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20, kDelete = 0x7f;
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kFirstPrintable || byte == kDelete)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

}  // namespace fxt::tools
