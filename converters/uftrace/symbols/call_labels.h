// The labels of calls: category = module's basename, `[kernel]` or `[unknown]`; name = demangled symbol, or
// `<hex>` where there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/symbols/images.h"

namespace convert::uftrace {

class CallLabels {
 public:
  // Borrows the names.
  CallLabels(Demangle demangle, Names& names) : demangle_(demangle), names_(names) {}

  // The labels of calls at up to kAtOnce addresses of a space, null if none is known, where `found` lies.
  static constexpr std::size_t kAtOnce = 16;
  void find(const AddressSpace* space, std::span<const std::uint64_t> addresses,
            std::span<const SymbolAt> found, std::span<LabelId> labels);
  // Notes each address without a symbol once.
  void add_notes(const Directory& directory, Notes& notes) const;

 private:
  LabelId* label_of(const SymbolAt& found);
  LabelId unresolved_label(const AddressSpace* space, std::uint64_t address, const SymbolAt& found);

  Demangle demangle_;
  Names& names_;
  std::unordered_map<const Image*, std::vector<LabelId>> labels_;  // of symbols; kNoLabel: not asked for yet
  // The category of addresses without a symbol, by address and the file that should have told it: notes of
  // them have one order, whoever asks first.
  std::map<std::pair<std::string, std::uint64_t>, std::string_view> unresolved_;
};

}  // namespace convert::uftrace
