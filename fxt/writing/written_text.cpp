// Cut, made valid, and cut again.
#include "fxt/writing/written_text.h"

#include <utility>

#include "fxt/utf8.h"

namespace fxt {

std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept) {
  text = cut_utf8(text, max_bytes);
  auto valid = repaired(text);
  if (!valid) return text;
  kept = std::move(*valid);
  return cut_utf8(kept, max_bytes);  // replacing can make it longer
}

}  // namespace fxt
