// Makes the labels of calls. The category of a label is the module's basename, `[kernel]` or `[unknown]`. The
// name is the demangled symbol, or the address as `<hex>` if there is no symbol.
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
  CallLabels(Demangle demangle, Names& names) : demangle_(demangle), names_(names) {}

  // Finds the labels of calls at up to kAtOnce addresses in an address space. `space` is null if the address
  // space is unknown. `found` has the symbols at the addresses.
  static constexpr std::size_t kAtOnce = 16;
  void find(const AddressSpace* space, std::span<const std::uint64_t> addresses,
            std::span<const SymbolAt> found, std::span<LabelId> labels);
  // Adds one note for each address without a symbol.
  void add_notes(const Directory& directory, Notes& notes) const;

 private:
  LabelId* label_of(const SymbolAt& found);
  LabelId unresolved_label(const AddressSpace* space, std::uint64_t address, const SymbolAt& found);

  Demangle demangle_;
  Names& names_;
  // The labels of each image, indexed by symbol; kNoLabel if the label has not been requested yet.
  std::unordered_map<const Image*, std::vector<LabelId>> labels_;
  // The categories of addresses without a symbol. They are sorted by the file that should have the symbol,
  // and by address. Therefore, the order of requests has no effect on the order of the notes.
  std::map<std::pair<std::string, std::uint64_t>, std::string_view> unresolved_;
};

}  // namespace convert::uftrace
