// Caches what addresses mean, for the hot path: nearly all records of a function have the same address.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "converters/model/lanes/event.h"
#include "fxt/field.h"

namespace convert::uftrace {

// Direct-mapped, with 2^Bits entries: two addresses of one slot replace each other, at the cost of a slow
// look-up.
template <typename Meaning, unsigned Bits = 12>
class AddressCache {
 public:
  struct Entry {
    std::uint64_t address = ~std::uint64_t{0};  // no record can hold it: it has 48 bits
    Meaning meaning{};
  };

  // The entry of the address's slot, which may be that of another address.
  const Entry& slot_for(std::uint64_t address) const { return entries_[slot_of(address)]; }
  // Null if the address is not here.
  const Meaning* find(std::uint64_t address) const {
    const Entry& entry = slot_for(address);
    return entry.address == address ? &entry.meaning : nullptr;
  }
  const Meaning& put(std::uint64_t address, Meaning meaning) {
    Entry& entry = entries_[slot_of(address)];
    entry = {address, meaning};
    return entry.meaning;
  }

 private:
  // The top bits of a multiplication by 2^64 / golden ratio spread neighbours well.
  using HashBits = fxt::Field<64 - Bits, 63>;
  static std::size_t slot_of(std::uint64_t address) {
    return HashBits::get(address * 0x9e37'79b9'7f4a'7c15u);
  }

  std::array<Entry, HashBits::kMax + 1> entries_{};
};

// The label of a call, and the source line of its function.
struct CallName {
  static constexpr NameId kNoLine{~std::uint32_t{0}};
  LabelId label{};
  NameId line = kNoLine;
};

class LabelCache : public AddressCache<CallName> {
 public:
  const CallName& put(std::uint64_t address, const CallName& name) {
    has_lines_ |= name.line != CallName::kNoLine;
    return AddressCache::put(address, name);
  }
  // False if none of the names here has a line.
  bool has_lines() const { return has_lines_; }

 private:
  bool has_lines_ = false;
};

// One for each of the epochs of symbols (TaskSymbols::epoch()) used last; shared by the threads that use it.
// A program that loads thousands of libraries has thousands of epochs, so the oldest cache is used again.
template <typename Cache>
class EpochCaches {
 public:
  // Valid until the next call.
  Cache& of(std::uint32_t epoch) {
    auto found = std::ranges::find(caches_, epoch, &Owned::epoch);
    if (found == caches_.end()) {
      if (caches_.size() < kMaxCaches) caches_.emplace_back();
      found = std::prev(caches_.end());
      *found = {epoch, std::make_unique<Cache>()};
    }
    std::rotate(caches_.begin(), found, std::next(found));
    return *caches_.front().cache;
  }

 private:
  static constexpr std::size_t kMaxCaches = 64;  // of 64 KiB
  struct Owned {
    std::uint32_t epoch = 0;
    std::unique_ptr<Cache> cache;
  };
  std::vector<Owned> caches_;  // the one used last in front
};
using LabelCaches = EpochCaches<LabelCache>;

}  // namespace convert::uftrace
