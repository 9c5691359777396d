// The symbols that pointers point at. Most values point nowhere near a module and are told apart at once.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

class PointerNames : public SymbolNames {
 public:
  PointerNames(Names& names, Demangle demangle) : names_(names), demangle_(demangle) {}

  // What follows is of this view.
  void enter(const SymbolView& view);
  std::optional<NameId> name_of(std::uint64_t address) override;

 private:
  struct Range {
    std::uint64_t start, end;
  };

  Names& names_;
  Demangle demangle_;
  std::optional<SymbolView> view_;
  std::vector<Range> ranges_;  // where symbols may lie, by start, apart from each other
  std::unordered_map<std::uint64_t, std::optional<NameId>> known_;
};

}  // namespace convert::uftrace
