// Equality of values and records that borrow.
#include "fxt/records.h"

#include <algorithm>

namespace fxt {

bool operator==(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.bytes, b.bytes); }

bool operator==(const UnknownValue& a, const UnknownValue& b) {
  return a.type == b.type && a.header_data == b.header_data && std::ranges::equal(a.words, b.words);
}

bool operator==(const Arguments& a, const Arguments& b) { return std::ranges::equal(a.list_, b.list_); }

bool operator==(const ProfilerBacktrace& a, const ProfilerBacktrace& b) {
  return a.time == b.time && a.thread == b.thread && a.flags == b.flags &&
         std::ranges::equal(a.frames, b.frames);
}

bool operator==(const UnknownRecord& a, const UnknownRecord& b) {
  return std::ranges::equal(a.words, b.words);
}

}  // namespace fxt
