// Equality of records that borrow words.
#include "fxt/records.h"

#include <algorithm>

namespace fxt {

bool operator==(const ProfilerBacktrace& a, const ProfilerBacktrace& b) {
  return a.time == b.time && a.thread == b.thread && a.flags == b.flags &&
         std::ranges::equal(a.frames, b.frames);
}

bool operator==(const UnknownRecord& a, const UnknownRecord& b) {
  return std::ranges::equal(a.words, b.words);
}

}  // namespace fxt
