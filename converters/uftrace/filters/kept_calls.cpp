#include "converters/uftrace/filters/kept_calls.h"

#include <algorithm>

namespace convert::uftrace {
namespace {

void set(std::uint64_t* words, std::size_t bit) { words[bit / 64] |= std::uint64_t{1} << bit % 64; }

}  // namespace

void KeptCalls::keep(std::uint64_t offset) {
  const std::uint64_t number = offset / kPartBytes;
  if (number >= parts_.size()) parts_.resize(number + 1);
  Part& part = parts_[number];
  const std::size_t bit = bit_of(offset);
  if (!part.words.empty()) {
    set(part.words.data(), bit);
    return;
  }
  part.listed.push_back(static_cast<std::uint16_t>(bit));
  if (part.listed.size() <= kMaxListed) return;
  part.words.resize(kBits / kWordBits);
  for (const std::uint16_t listed : part.listed) set(part.words.data(), listed);
  part.listed = {};
}

// is_kept() is called with ascending offsets: the part before is not needed again.
void KeptCalls::enter(std::uint64_t number) {
  if (part_ < number && part_ < parts_.size()) parts_[part_] = {};
  part_ = number;
  words_.fill(0);
  if (number >= parts_.size()) return;
  const Part& part = parts_[number];
  if (!part.words.empty()) std::ranges::copy(part.words, words_.begin());
  for (const std::uint16_t listed : part.listed) set(words_.data(), listed);
}

}  // namespace convert::uftrace
