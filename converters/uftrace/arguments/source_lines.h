// Where functions stand in the source: the argument `loc` of their calls.
#pragma once

#include <string>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// Safe to use from several threads; callers cache what they got.
class SourceLines : public FunctionLines {
 public:
  // Borrows both for its whole life.
  SourceLines(DebugFiles& debug, Names& names) : debug_(debug), names_(names), loc_(names.intern("loc")) {}

  NameId line_of(const SymbolAt& function) const override {
    const DebugFile* const file = debug_.of(function);
    if (file == nullptr) return CallName::kNoLine;
    const std::string line = location_of(file->find(function.symbol->start, function.symbol->name).line);
    return line.empty() ? CallName::kNoLine : names_.intern(line);
  }
  bool has_file(const SymbolAt& function) const { return debug_.of(function) != nullptr; }
  NameId argument() const { return loc_; }

 private:
  DebugFiles& debug_;
  Names& names_;
  NameId loc_;
};

}  // namespace convert::uftrace
