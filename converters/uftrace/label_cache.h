// Address -> label, for the hot path: a function has one address in nearly all of its records.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "converters/model/event.h"
#include "fxt/field.h"

namespace convert::uftrace {

// Direct-mapped: two addresses of one slot take turns, at the cost of a slow look-up.
class LabelCache {
 public:
  // Null if the address is not here.
  const LabelId* find(std::uint64_t address) const {
    const Entry& entry = entries_[slot_of(address)];
    return entry.address == address ? &entry.label : nullptr;
  }
  void put(std::uint64_t address, LabelId label) { entries_[slot_of(address)] = {address, label}; }

 private:
  struct Entry {
    std::uint64_t address = ~std::uint64_t{0};  // no record can hold it: it has 48 bits
    LabelId label{};
  };
  // The top bits of a multiplication by 2^64 / golden ratio spread neighbours well.
  using HashBits = fxt::Field<52, 63>;
  static std::size_t slot_of(std::uint64_t address) {
    return HashBits::get(address * 0x9e37'79b9'7f4a'7c15u);
  }

  std::array<Entry, HashBits::kMax + 1> entries_{};
};

// One for each epoch of symbols (SymbolView::epoch()); shared by the threads that use it.
class LabelCaches {
 public:
  LabelCache& of(std::uint32_t epoch) {
    if (caches_.size() <= epoch) caches_.resize(epoch + std::size_t{1});
    if (!caches_[epoch]) caches_[epoch] = std::make_unique<LabelCache>();
    return *caches_[epoch];
  }

 private:
  std::vector<std::unique_ptr<LabelCache>> caches_;
};

}  // namespace convert::uftrace
