// Decodes the payloads in the records of one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "fxt/hash.h"

namespace convert::uftrace {

// Decodes payloads with the symbols of the thread's program at the time of each record.
class PayloadDecoder final : public CandidateLayouts, private SymbolNames {
 public:
  // `layouts` and `task` must outlive this object.
  PayloadDecoder(PayloadLayouts& layouts, const Task& task)
      : layouts_(layouts), symbols_(layouts.context().symbolizer, task) {}

  std::span<const PayloadLayout> candidates(std::uint64_t time_ns, std::uint64_t address,
                                            bool is_entry) override;
  // Appends the values of the record for which candidates() was last called. `layout` is one of its results.
  void add_values(const PayloadLayout& layout, std::span<const std::byte> payload, Arguments& into) {
    layout.add_values(payload, *this, into);
  }
  PackedArguments put_values(const PayloadLayout& layout, std::span<const std::byte> payload,
                             std::uint64_t* words) {
    return layout.put_values(payload, *this, words);
  }

 private:
  struct AddressRange {
    std::uint64_t start, end;
  };

  void find_ranges();
  std::optional<NameId> symbol_at(std::uint64_t address) override;

  PayloadLayouts& layouts_;
  TaskSymbols symbols_;
  // ---- Caches for the current symbols ----
  using FunctionCache = AddressCache<const FunctionLayouts*, 8>;
  std::optional<FunctionCache> functions_;  // made at the first payload, which most threads do not have
  std::vector<AddressRange> ranges_;  // ranges that may contain symbols, sorted by start, without overlaps
  fxt::SeededMap<std::uint64_t, std::optional<NameId>> pointers_;
};

}  // namespace convert::uftrace
