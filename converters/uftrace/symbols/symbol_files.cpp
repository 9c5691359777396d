#include "converters/uftrace/symbols/symbol_files.h"

#include <optional>
#include <utility>

#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
const SymbolTable* SymbolFiles::of_file(std::string_view file_name) {
  const auto known = tables_.find(file_name);
  if (known != tables_.end()) return known->second.get();
  const auto path = directory_.path / file_name;
  std::optional<std::string> text = read_optional_file(path, notes_);
  auto table = text ? std::make_unique<SymbolTable>(std::move(*text), path.native(), notes_) : nullptr;
  return tables_.emplace(file_name, std::move(table)).first->second.get();
}

const SymbolTable* SymbolFiles::of_module(std::string_view path, std::string_view build_id) {
  const auto name = files_.of_module(path, build_id);
  return name ? of_file(*name) : nullptr;
}

const SymbolTable* SymbolFiles::of_library(std::string_view path) {
  const auto name = files_.of_library(path);
  return name ? of_file(*name) : nullptr;
}

}  // namespace convert::uftrace
