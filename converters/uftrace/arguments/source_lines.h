// Where functions stand in the source: the argument `loc` of their calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Safe to use from several threads; callers cache what they got.
class SourceLines {
 public:
  // Borrows both for its whole life.
  SourceLines(DebugFiles& debug, Names& names) : debug_(debug), names_(names), loc_(names.intern("loc")) {}

  // "file:line" of the function at that address, nothing if it is not known.
  std::optional<NameId> of(const SymbolView& view, std::uint64_t address) const {
    const SymbolAt place = view.at(address);
    const DebugFile* const file = debug_.of(place);
    if (file == nullptr) return std::nullopt;
    const std::string line = location_of(file->find(place.symbol->start, place.symbol->name).line);
    return line.empty() ? std::nullopt : std::optional(names_.intern(line));
  }
  bool has_file(const SymbolView& view, std::uint64_t address) const {
    return debug_.of(view.at(address)) != nullptr;
  }
  NameId argument() const { return loc_; }

 private:
  DebugFiles& debug_;
  Names& names_;
  NameId loc_;
};

}  // namespace convert::uftrace
