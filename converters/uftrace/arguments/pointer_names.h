// The symbols that pointers point at. Most values point nowhere near a module and are told apart at once.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

class PointerNames : public SymbolNames {
 public:
  // Borrows the symbols, which must be at a time.
  PointerNames(const TaskSymbols& symbols, Names& names, Demangle demangle)
      : symbols_(symbols), names_(names), demangle_(demangle) {}

  // The symbols are other ones from here on.
  void forget();
  std::optional<NameId> name_of(std::uint64_t address) override;

 private:
  struct Range {
    std::uint64_t start, end;
  };

  const TaskSymbols& symbols_;
  Names& names_;
  Demangle demangle_;
  std::vector<Range> ranges_;  // where symbols may lie, by start, apart from each other
  std::unordered_map<std::uint64_t, std::optional<NameId>> known_;
};

}  // namespace convert::uftrace
