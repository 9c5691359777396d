// The plans of all functions of a recording, worked out when a payload of the function is first met. Safe to
// use from several threads; an answer never depends on what was asked before.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Of one function: the likely plans of entries and exits, the likeliest first.
struct FunctionLayouts {
  std::vector<PayloadLayout> entry;
  std::vector<PayloadLayout> exit;
};

class PayloadLayouts {
 public:
  // Borrows all for its whole life, the table's specs too.
  PayloadLayouts(const SpecTable& specs, DebugFiles& debug, Names& names)
      : specs_(specs), debug_(debug), names_(names) {}

  // Of the function at `place`, which lies in that address space. Valid as long as this object.
  const FunctionLayouts& of(const SymbolAt& place, const AddressSpace* space);

 private:
  std::vector<PayloadLayout> plans_of(const FunctionFacts& facts, bool of_result, const DebugFile* file);
  const EnumNames* enum_of(std::string_view name, const DebugFile* file);

  const SpecTable& specs_;
  DebugFiles& debug_;
  Names& names_;
  std::mutex mutex_;
  // By symbol, and what specs with a module's name ask of its place.
  std::map<std::pair<const Symbol*, const void*>, FunctionLayouts> functions_;
  std::map<const EnumType*, EnumNames> enums_;
  FunctionLayouts unknown_;
};

}  // namespace convert::uftrace
