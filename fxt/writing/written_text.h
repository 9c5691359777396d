// Texts as the file will hold them, which some rules compare. Internal to the Writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "fxt/utf8.h"

namespace fxt {

// `text` as a record holds it: repaired, and cut at `max_bytes`. `kept` keeps what had to be repaired.
inline std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // replacing can make it longer
}

}  // namespace fxt
