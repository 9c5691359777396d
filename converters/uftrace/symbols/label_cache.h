// Caches the meaning of addresses for the hot path. The cache is useful because functions are called often.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert::uftrace {

// The memory that the caches of a recording may still take. Safe to use from several threads.
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

// A cache that starts with 2^FirstBits entries. If new entries replace too many others, the cache grows, as
// far as the budget allows. An entry is at the slot of its address or at one of the next slots.
template <typename Meaning, unsigned FirstBits = 12>
class AddressCache {
 public:
  struct Entry {
    std::uint64_t address = kNoAddress;
    Meaning meaning{};
  };
  // A view for loops, valid until the next put().
  struct View {
    const Entry* entries;
    unsigned shift;
    // Returns the entry at the slot of the address. This entry may belong to another address.
    const Entry& slot_for(std::uint64_t address) const { return entries[slot_of(address, shift)]; }
    // Returns the entry of the address, or a free entry. Null if entries of other addresses are in all slots
    // where it may be.
    const Entry* entry_for(std::uint64_t address) const {
      const std::size_t slot = slot_of(address, shift);
      for (std::size_t i = slot; i != slot + kProbes; ++i) {
        const Entry* const entry = entries + (i & (~std::size_t{0} >> shift));
        if (entry->address == address || entry->address == kNoAddress) return entry;
      }
      return nullptr;
    }
  };

  // Without a budget, the cache does not grow.
  AddressCache() = default;
  explicit AddressCache(CacheBudget& budget) : budget_(&budget) {}
  ~AddressCache() {
    if (budget_ != nullptr) budget_->give_back(taken_bytes_);
  }
  AddressCache(const AddressCache&) = delete;
  AddressCache& operator=(const AddressCache&) = delete;

  View view() const { return {entries_.data(), shift_}; }
  // Returns null if the address is not cached.
  const Meaning* find(std::uint64_t address) const {
    const Entry* const entry = view().entry_for(address);
    return entry != nullptr && entry->address == address && address != kNoAddress ? &entry->meaning : nullptr;
  }
  const Meaning& put(std::uint64_t address, const Meaning& meaning) {
    const Entry* found = view().entry_for(address);
    if (found == nullptr && ++replaced_ > entries_.size() / 16 && try_grow())
      found = view().entry_for(address);
    Entry& entry = entries_[found != nullptr ? static_cast<std::size_t>(found - entries_.data())
                                             : slot_of(address, shift_)];
    entry = {address, meaning};
    return entry.meaning;
  }
  // Returns the meaning of the address. If the address is not cached, calls `make` and caches the result.
  template <typename Make>
  const Meaning& get(std::uint64_t address, Make make) {
    const Meaning* const known = find(address);
    return known != nullptr ? *known : put(address, make());
  }
  void clear() { std::ranges::fill(entries_, Entry{}); }
  std::size_t size() const { return entries_.size(); }

 private:
  static constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};  // marks free entries
  static constexpr std::size_t kProbes = 8;  // number of slots that may have the entry of an address
  static constexpr std::size_t kSize = std::size_t{1} << FirstBits;

  // Multiplies by 2^64 / golden ratio. Neighboring addresses then have very different top bits.
  static std::size_t slot_of(std::uint64_t address, unsigned shift) {
    return (address * 0x9e37'79b9'7f4a'7c15u) >> shift;
  }
  bool try_grow() {
    replaced_ = 0;
    const std::size_t more = entries_.size() * sizeof(Entry);
    if (budget_ == nullptr || !budget_->try_take(more)) return false;
    taken_bytes_ += more;
    std::vector<Entry> before(2 * entries_.size());  // may throw, so it is done before entries move
    before.swap(entries_);
    --shift_;
    for (const Entry& entry : before)
      if (entry.address != kNoAddress) put(entry.address, entry.meaning);
    return true;
  }

  CacheBudget* budget_ = nullptr;
  std::vector<Entry> entries_ = std::vector<Entry>(kSize);
  unsigned shift_ = 64 - FirstBits;  // converts a hash to a slot number
  std::size_t replaced_ = 0;         // number of entries replaced since the cache last tried to grow
  std::size_t taken_bytes_ = 0;
};

struct CallLabel {
  static constexpr NameId kNoLine{~std::uint32_t{0}};
  LabelId label{};
  NameId line = kNoLine;
};

class LabelCache : public AddressCache<CallLabel> {
 public:
  using AddressCache::AddressCache;
  const CallLabel& put(std::uint64_t address, const CallLabel& label) {
    has_lines_ |= label.line != CallLabel::kNoLine;
    return AddressCache::put(address, label);
  }
  // False if no label in the cache has a line.
  bool has_lines() const { return has_lines_; }

 private:
  bool has_lines_ = false;
};

// In an epoch, the meaning of addresses does not change (TaskSymbols::epoch()). Each epoch has its own cache,
// which threads with the same epoch share. Only the caches of the epochs that were used last are kept,
// because a program may load thousands of libraries.
template <typename Cache>
class EpochCaches {
 public:
  // Returns the epoch's cache, valid until the next call. Constructs a missing cache from `arguments`.
  template <typename... Arguments>
  Cache& of(std::uint32_t epoch, Arguments&... arguments) {
    auto found = std::ranges::find(caches_, epoch, &Owned::epoch);
    if (found == caches_.end()) {
      auto cache = std::make_unique<Cache>(arguments...);  // may throw, so it is done before the insertion
      if (caches_.size() < kMaxCaches) caches_.emplace_back();
      found = std::prev(caches_.end());
      *found = {epoch, std::move(cache)};
    }
    std::rotate(caches_.begin(), found, std::next(found));
    return *caches_.front().cache;
  }

 private:
  static constexpr std::size_t kMaxCaches = 64;  // a cache takes 64 KiB at first
  struct Owned {
    std::uint32_t epoch = 0;
    std::unique_ptr<Cache> cache;
  };
  std::vector<Owned> caches_;  // the most recently used cache is in front
};
using LabelCaches = EpochCaches<LabelCache>;

}  // namespace convert::uftrace
