// Text whose case does not matter, as far as ASCII goes.
#pragma once

#include <string>
#include <string_view>

namespace fxt {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower(c);
  return lowered;
}

}  // namespace fxt
