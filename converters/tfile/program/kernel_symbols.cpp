// A kernel's symbol list: /proc/kallsyms or System.map.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/stored_bytes.h"
#include "converters/model/reading/text.h"
#include "converters/symbols/elf_image.h"
#include "converters/symbols/symbol_table.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/symbols.h"
#include "fxt/hash.h"
#include "fxt/support/memory_limit.h"

namespace convert::tfile {
namespace {

// Code that is at least this far from the start of the nearest function does not belong to this function.
constexpr std::uint64_t kLongestFunction = std::uint64_t{1} << 20;

class KernelSymbolList : public ProgramSymbols {
 public:
  explicit KernelSymbolList(const std::filesystem::path& path);

  // True if every address is 0. The kernel shows such addresses to users without permission.
  bool are_hidden() const { return functions_->symbols().empty() && objects_.empty(); }

  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(const std::string& name) const override;

 private:
  std::unique_ptr<const SymbolTable> functions_;
  TextPool names_;
  fxt::SeededMap<std::string_view, DataObject> objects_;
};

KernelSymbolList::KernelSymbolList(const std::filesystem::path& path) {
  const InputFile checked{fxt::FilePlace(path)};  // throws for a FIFO, because the stream would hang at it
  check_holes(checked, checked.size());
  constexpr std::uint64_t kMemoryPerByte = 16;
  fxt::allow_memory(path.string(), checked.size() * kMemoryPerByte);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator(file), {}};
  std::vector<Symbol> functions;
  bool is_symbol_list = false;
  split(text, '\n', [&](std::string_view line) {
    auto symbol = parse_symbol_line(line);
    if (!symbol) return;
    symbol->name = symbol->name.substr(0, symbol->name.find_first_of(" \r"));
    if (symbol->name.empty()) return;
    is_symbol_list = true;
    if (symbol->start == 0) return;
    constexpr std::string_view kOtherVariables = "bBrRV";  // types of variables that no .sym file has
    if (symbol->is_function())
      functions.push_back(*symbol);
    else if (symbol->is_variable() || kOtherVariables.find(symbol->type) != std::string_view::npos)
      objects_.try_emplace(names_.keep(symbol->name), DataObject{symbol->start, 0});
  });
  if (!is_symbol_list) throw InputError(Location::file(path.string()), "not a list of a kernel's symbols");
  functions_ = std::make_unique<SymbolTable>(std::move(functions));
}

CodeInfo KernelSymbolList::code_at(std::uint64_t address) const {
  CodeInfo info;
  const Symbol* const function = functions_->find_function(address);
  if (function != nullptr && address - function->start < kLongestFunction) info.function = function->name;
  return info;
}

std::optional<DataObject> KernelSymbolList::object(const std::string& name) const {
  const auto found = objects_.find(name);
  return found != objects_.end() ? std::optional(found->second) : std::nullopt;
}

}  // namespace

std::unique_ptr<ProgramSymbols> read_kernel_symbols(const std::filesystem::path& path, Notes& notes) {
  auto symbols = std::make_unique<KernelSymbolList>(path);
  if (!symbols->are_hidden()) return symbols;
  notes.add(kNoSymbols, Location::file(path.string()),
            "all addresses are 0, because the kernel hides them (kptr_restrict); save the list as root");
  return nullptr;
}

}  // namespace convert::tfile
