// SPDX-License-Identifier: Apache-2.0
// Strings as FXT wants them: valid UTF-8, cut between characters; and the case of ASCII.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// U+FFFD, which stands for what can't be shown.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// True if all of `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
FXT_API bool is_valid_utf8(std::string_view text);

// `text` with every ill-formed sequence replaced by U+FFFD, one for each maximal subpart (Unicode, section
// 3.9, "U+FFFD substitution of maximal subparts").
FXT_API std::string make_valid_utf8(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that does not end inside a character.
FXT_API std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

// True if every reader can read `text` as it is: valid UTF-8 without NUL.
FXT_API bool is_sound(std::string_view text);

// `text` as every reader can read it: valid UTF-8 without NUL. Nothing if `text` is so already.
FXT_API std::optional<std::string> repaired(std::string_view text);

// ---- Text whose case does not matter, as far as ASCII goes ----

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower(c);
  return lowered;
}

}  // namespace fxt
