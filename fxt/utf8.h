// SPDX-License-Identifier: Apache-2.0
// Makes strings valid for FXT: converts them to valid UTF-8, and cuts them between characters. Also converts
// the case of ASCII.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// U+FFFD, which replaces invalid sequences.
inline constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// True if `text` is well-formed UTF-8: no overlong forms, no surrogates, and nothing above U+10FFFF.
FXT_API bool is_valid_utf8(std::string_view text);

// `text` with every ill-formed sequence replaced by U+FFFD, one for each maximal subpart (Unicode, section
// 3.9, "U+FFFD substitution of maximal subparts").
FXT_API std::string make_valid_utf8(std::string_view text);

// The longest prefix of at most `max_bytes` bytes that does not end inside a character.
FXT_API std::string_view cut_utf8(std::string_view text, std::size_t max_bytes);

// True if all eight bytes are ASCII and not NUL.
constexpr bool is_plain(std::uint64_t eight) {
  constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080, kOnes = 0x0101'0101'0101'0101;
  return ((eight | (eight - kOnes)) & kHighBits) == 0;
}

// True if all readers accept `text` unchanged: it is valid UTF-8 without NUL.
FXT_API bool is_sound(std::string_view text);

// Returns `text` as valid UTF-8 without NUL, or nothing if `text` already is.
FXT_API std::optional<std::string> repaired(std::string_view text);

// ---- The case of texts: only ASCII letters are converted ----

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower(c);
  return lowered;
}

}  // namespace fxt
