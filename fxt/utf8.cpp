// Checks well-formedness with table 3-7 of the Unicode standard, section 3.9.
#include "fxt/utf8.h"

#include <cstring>

namespace fxt {
namespace {

struct Sequence {
  std::size_t bytes;  // size of the character, or of the ill-formed part
  bool valid;
};

// The first character or ill-formed part of the non-empty `text`.
Sequence first_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};

  std::size_t length = 0;
  unsigned low = 0x80, high = 0xbf;  // range of the second byte; later bytes are always 80..BF
  if (lead >= 0xc2 && lead <= 0xdf) {
    length = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    length = 3;
    if (lead == 0xe0) low = 0xa0;
    if (lead == 0xed) high = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    length = 4;
    if (lead == 0xf0) low = 0x90;
    if (lead == 0xf4) high = 0x8f;
  } else {
    return {1, false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i == text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true};
}

// The number of bytes at the start of the non-empty `text` that certainly are plain (see is_plain()). This is
// a multiple of 8, or the whole size.
std::size_t plain_prefix(std::string_view text) {
  std::uint64_t eight = 0;
  std::size_t size = 0;
  for (; text.size() - size >= sizeof eight; size += sizeof eight) {
    std::memcpy(&eight, text.data() + size, sizeof eight);
    if (!is_plain(eight)) return size;
  }
  if (size == 0) {
    eight = 0x0101'0101'0101'0101;
    std::memcpy(&eight, text.data(), text.size());
  } else {
    std::memcpy(&eight, text.data() + text.size() - sizeof eight, sizeof eight);
  }
  return is_plain(eight) ? text.size() : size;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(plain_prefix(text));
    if (text.empty()) break;
    const Sequence sequence = first_sequence(text);
    if (!sequence.valid) return false;
    text.remove_prefix(sequence.bytes);
  }
  return true;
}

std::string make_valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = first_sequence(text);
    valid += sequence.valid ? text.substr(0, sequence.bytes) : kReplacement;
    text.remove_prefix(sequence.bytes);
  }
  return valid;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t size = max_bytes;
  // Goes back over at most three continuation bytes, to the start of the character that would be split.
  for (int i = 0; i < 3 && size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80; ++i) --size;
  // If the byte before them is also a continuation byte, the text is not UTF-8, and can be cut anywhere.
  if ((static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80) size = max_bytes;
  return text.substr(0, size);
}

bool is_sound(std::string_view text) {
  if (text.empty()) return true;
  text.remove_prefix(plain_prefix(text));
  return text.empty() || (is_valid_utf8(text) && text.find('\0') == std::string_view::npos);
}

std::optional<std::string> repaired(std::string_view text) {
  if (is_sound(text)) return std::nullopt;
  std::string valid = make_valid_utf8(text);
  for (std::size_t nul = 0; (nul = valid.find('\0', nul)) != std::string::npos;)
    valid.replace(nul, 1, kReplacement);
  return valid;
}

}  // namespace fxt
