// What pointers point to in a program's read-only data and code, spelled with their address as GDB does:
// "0x402010 \"ready\"", "0x401136 <handler>".
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <unordered_map>

#include "converters/model/names/names.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

class PointerTexts {
 public:
  // Borrows both; `symbols` may be null.
  PointerTexts(const ProgramSymbols* symbols, Names& names) : symbols_(symbols), names_(names) {}

  // Nothing where the program has neither text nor symbol, and for further addresses when there are many.
  std::optional<NameId> of(ValueForm pointer, std::uint64_t address) {
    if (symbols_ == nullptr || address == 0) return std::nullopt;
    auto& known = pointer == ValueForm::TextPointer ? texts_ : code_;
    if (const auto found = known.find(address); found != known.end()) return found->second;
    if (known.size() == kMaxKnown) return std::nullopt;
    const std::string text = pointer == ValueForm::TextPointer ? text_at(address) : symbol_at(address);
    return known.emplace(address, text.empty() ? std::nullopt : std::optional(names_.intern(text)))
        .first->second;
  }

 private:
  static constexpr std::size_t kMaxKnown = 16384;

  std::string text_at(std::uint64_t address) const {
    constexpr std::size_t kShown = 200;  // as many as GDB shows
    auto bytes = symbols_->constant_bytes(address);
    const bool is_long = bytes.size() >= kShown;
    if (is_long) bytes = bytes.first(kShown);
    const auto end = std::ranges::find(bytes, std::byte{0});
    if (end == bytes.end() && !is_long) return {};
    return fmt::format("{:#x} \"{}\"{}", address, string_text({bytes.begin(), end}),
                       end == bytes.end() ? "..." : "");
  }
  std::string symbol_at(std::uint64_t address) const {
    const std::string symbol = symbols_->symbol_at(address);
    return symbol.empty() ? symbol : fmt::format("{:#x} <{}>", address, symbol);
  }

  const ProgramSymbols* symbols_;
  Names& names_;
  std::unordered_map<std::uint64_t, std::optional<NameId>> texts_, code_;
};

}  // namespace convert::tfile
