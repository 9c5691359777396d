// Caches what addresses mean, for the hot path: nearly all records of a function have the same address.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
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

// The memory into which the caches of a recording may grow. Safe to use from several threads.
class CacheBudget {
 public:
  explicit CacheBudget(std::size_t bytes) : bytes_(bytes) {}

  bool try_take(std::size_t bytes) {
    std::size_t left = bytes_;
    while (left >= bytes)
      if (bytes_.compare_exchange_weak(left, left - bytes)) return true;
    return false;
  }
  void give_back(std::size_t bytes) { bytes_ += bytes; }

 private:
  std::atomic<std::size_t> bytes_;
};

// Direct-mapped like AddressCache, but grows while addresses replace each other, as far as the budget allows.
template <typename Meaning, unsigned FirstBits>
class GrowingCache {
 public:
  using Entry = typename AddressCache<Meaning>::Entry;
  // For loops. Valid until the next put().
  struct View {
    const Entry* entries;
    unsigned shift;
    // The entry of the address's slot, which may be that of another address.
    const Entry& slot_for(std::uint64_t address) const { return entries[slot_of(address, shift)]; }
  };

  // Borrows the budget.
  explicit GrowingCache(CacheBudget& budget) : budget_(budget) {}
  ~GrowingCache() { budget_.give_back(taken_bytes_); }
  GrowingCache(const GrowingCache&) = delete;
  GrowingCache& operator=(const GrowingCache&) = delete;

  View view() const { return {entries_.data(), shift_}; }
  // Null if the address is not here.
  const Meaning* find(std::uint64_t address) const {
    const Entry& entry = view().slot_for(address);
    return entry.address == address ? &entry.meaning : nullptr;
  }
  const Meaning& put(std::uint64_t address, const Meaning& meaning) {
    if (entries_[slot_of(address, shift_)].address != kNoAddress && ++replaced_ > entries_.size() / 4) grow();
    Entry& entry = entries_[slot_of(address, shift_)];
    entry = {address, meaning};
    return entry.meaning;
  }
  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};
  static constexpr unsigned kGrowthBits = 2;

  static std::size_t slot_of(std::uint64_t address, unsigned shift) {
    return (address * 0x9e37'79b9'7f4a'7c15u) >> shift;
  }
  void grow() {
    replaced_ = 0;
    const std::size_t bytes = entries_.size() * sizeof(Entry), more = (bytes << kGrowthBits) - bytes;
    if (!budget_.try_take(more)) return;
    taken_bytes_ += more;
    shift_ -= kGrowthBits;
    std::vector<Entry> before(entries_.size() << kGrowthBits);
    before.swap(entries_);
    for (const Entry& entry : before)
      if (entry.address != kNoAddress) entries_[slot_of(entry.address, shift_)] = entry;
  }

  CacheBudget& budget_;
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << FirstBits);
  unsigned shift_ = 64 - FirstBits;  // of a hash, to the number of its slot
  std::size_t replaced_ = 0;         // entries, since the cache grew
  std::size_t taken_bytes_ = 0;      // of the budget
};

// The label of a call, and the source line of its function.
struct CallName {
  static constexpr NameId kNoLine{~std::uint32_t{0}};
  LabelId label{};
  NameId line = kNoLine;
};

class LabelCache : public GrowingCache<CallName, 12> {
 public:
  using GrowingCache::GrowingCache;
  const CallName& put(std::uint64_t address, const CallName& name) {
    has_lines_ |= name.line != CallName::kNoLine;
    return GrowingCache::put(address, name);
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
  // A new cache is made from `arguments`. Valid until the next call.
  template <typename... Arguments>
  Cache& of(std::uint32_t epoch, Arguments&... arguments) {
    auto found = std::ranges::find(caches_, epoch, &Owned::epoch);
    if (found == caches_.end()) {
      if (caches_.size() < kMaxCaches) caches_.emplace_back();
      found = std::prev(caches_.end());
      *found = {epoch, std::make_unique<Cache>(arguments...)};
    }
    std::rotate(caches_.begin(), found, std::next(found));
    return *caches_.front().cache;
  }

 private:
  static constexpr std::size_t kMaxCaches = 64;  // of 64 KiB, at first
  struct Owned {
    std::uint32_t epoch = 0;
    std::unique_ptr<Cache> cache;
  };
  std::vector<Owned> caches_;  // the one used last in front
};
using LabelCaches = EpochCaches<LabelCache>;

}  // namespace convert::uftrace
