// Numbers that are shown as text, found when frames are emitted: what pointers point to in a program's
// read-only data and code, spelled with their address as GDB does ("0x402010 \"ready\"", "0x401136
// <handler>"), and the flags of registers ("0x246 [ PF ZF IF ]").
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

class NumberTexts {
 public:
  // Borrows both; `symbols` may be null.
  NumberTexts(const ProgramSymbols* symbols, Names& names) : symbols_(symbols), names_(names) {}

  // Nothing where the program has neither text nor symbol, and for further addresses when there are many.
  std::optional<NameId> of(ValueForm pointer, std::uint64_t address) {
    if (symbols_ == nullptr || address == 0) return std::nullopt;
    Known& known = pointer == ValueForm::TextPointer ? texts_ : code_;
    if (const auto found = known.find(address); found != known.end()) return found->second;
    if (known.size() == kMaxKnown) return std::nullopt;
    const std::string text = pointer == ValueForm::TextPointer ? text_at(address) : symbol_at(address);
    return known.emplace(address, text.empty() ? std::nullopt : std::optional(names_.intern(text)))
        .first->second;
  }
  std::optional<NameId> of_flags(const Register& reg, std::uint64_t bits) {
    Known& known = flags_[&reg];
    if (const auto found = known.find(bits); found != known.end()) return found->second;
    if (known.size() == kMaxKnown) return std::nullopt;
    return known.emplace(bits, names_.intern(fmt::format("{:#x} {}", bits, flags_text(reg, bits))))
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
  using Known = std::unordered_map<std::uint64_t, std::optional<NameId>>;
  Known texts_, code_;
  std::unordered_map<const Register*, Known> flags_;
};

}  // namespace convert::tfile
