// The names of the kernel's functions, from the recording's symbol list (uftrace.md, section 14.3).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
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
    const auto [known, is_new] = labels_.try_emplace(address);
    if (is_new) known->second = new_label(address);
    cache_->put(address, known->second);
    return known->second;
  }

 private:
  using Cache = AddressCache<LabelId, 14>;
  static constexpr std::uint64_t kEmptyEntry = Cache::Entry{}.address;

  LabelId new_label(std::uint64_t address);

  Context context_;
  std::unique_ptr<Cache> cache_ = std::make_unique<Cache>();
  std::unordered_map<std::uint64_t, LabelId> labels_;
};

}  // namespace convert::uftrace
