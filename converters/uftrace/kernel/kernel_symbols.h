// The names of the kernel's functions, from the recording's symbol list, a copy of /proc/kallsyms.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/symbols/label_cache.h"

namespace convert::uftrace {

// The first of an address's names; of a system call's names, that of the kernel's own word size. Empty if
// there is none, as where the recorder was not allowed to see addresses.
std::string_view kernel_name(const SymbolTable& symbols, std::uint64_t address);

class KernelSymbols {
 public:
  struct Context {
    const SymbolTable* symbols;  // null if the recording has none
    std::string file;            // for notes
    Demangle demangle;
    Names& names;
    Notes& notes;
  };
  explicit KernelSymbols(Context context) : context_(std::move(context)) {}

  // The label of a call: `[kernel]` and the symbol, or `<hex>` and one note for each such address.
  LabelId label(std::uint64_t address) {
    const LabelId* const cached = cache_->find(address);
    if (cached != nullptr && address != kEmptyEntry) return *cached;
    return cache_->put(address, new_label(address));
  }

 private:
  using Cache = AddressCache<LabelId>;
  static constexpr std::uint64_t kEmptyEntry = Cache::Entry{}.address;

  LabelId new_label(std::uint64_t address);

  Context context_;
  std::unique_ptr<CacheBudget> budget_ = std::make_unique<CacheBudget>(std::size_t{4} << 20);
  std::unique_ptr<Cache> cache_ = std::make_unique<Cache>(*budget_);
  std::unordered_set<std::uint64_t> unknown_;  // addresses that have their note
};

}  // namespace convert::uftrace
