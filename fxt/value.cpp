// Equality of borrowed bytes, words and arguments.
#include "fxt/value.h"

#include <algorithm>

namespace fxt {

bool operator==(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.bytes, b.bytes); }

bool operator==(const UnknownValue& a, const UnknownValue& b) {
  return a.type == b.type && a.header_data == b.header_data && std::ranges::equal(a.words, b.words);
}

bool operator==(const Arguments& a, const Arguments& b) { return std::ranges::equal(a.list_, b.list_); }

}  // namespace fxt
