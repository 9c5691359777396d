// Numbers that are shown as text. A pointer into a program's read-only data, code or objects gets the text or
// the symbol at its address, spelled as in GDB ("0x402010 \"ready\"", "0x401136 <handler>"). A flags register
// gets the names of its flags ("0x246 [ PF ZF IF ]").
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "converters/model/names/names.h"
#include "converters/tfile/events/values.h"
#include "converters/tfile/program/symbols.h"
#include "fxt/hash.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

class NumberTexts {
 public:
  // `symbols` may be null.
  NumberTexts(const ProgramSymbols* symbols, Names& names, std::endian order)
      : symbols_(symbols), names_(names), order_(order) {}

  // Returns nothing if the program has neither a text nor a symbol at the address. Once very many addresses
  // are known, also returns nothing for new addresses.
  std::optional<NameId> pointer_text(ValueForm pointer, std::uint64_t address) {
    if (symbols_ == nullptr || address == 0) return std::nullopt;
    Known& known =
        pointers_[static_cast<std::size_t>(pointer) - static_cast<std::size_t>(ValueForm::Pointer)];
    if (const auto found = known.find(address); found != known.end()) return found->second;
    if (known.size() == kMaxKnown || text_bytes_.is_exceeded()) return std::nullopt;
    std::string text;
    if (const std::string symbol = symbols_->symbol_at(address); !symbol.empty())
      text = fmt::format(" <{}>", symbol);
    const std::size_t width = pointer == ValueForm::TextPointer    ? 1
                              : pointer == ValueForm::Utf16Pointer ? 2
                              : pointer == ValueForm::Utf32Pointer ? 4
                                                                   : 0;
    if (width != 0) text += characters_at(address, width);
    if (text.empty()) return std::nullopt;
    return keep(known, address, fmt::format("{:#x}{}", address, text));
  }
  std::optional<NameId> register_text(const Register& reg, std::uint64_t bits) {
    Known& known = flags_[&reg];
    if (const auto found = known.find(bits); found != known.end()) return found->second;
    if (known.size() == kMaxKnown || text_bytes_.is_exceeded()) return std::nullopt;
    return keep(known, bits, fmt::format("{:#x} {}", bits, flags_text(reg, bits)));
  }

 private:
  static constexpr std::size_t kMaxKnown = 16384;
  static constexpr fxt::Limit kTextBytes{"MiB of texts for pointers and flags registers", 32 * fxt::kMiB, 0};
  using Known = fxt::SeededMap<std::uint64_t, NameId>;

  std::optional<NameId> keep(Known& known, std::uint64_t number, std::string_view text) {
    if (!text_bytes_.take(text.size())) return std::nullopt;
    return known.emplace(number, names_.intern(text)).first->second;
  }

  // Reads characters that the program can't change, up to the first NUL.
  std::string characters_at(std::uint64_t address, std::size_t width) const {
    constexpr std::size_t kShown = 200;  // the limit of GDB
    auto bytes = symbols_->constant_bytes(address);
    const bool is_long = bytes.size() >= kShown * width;
    if (is_long) bytes = bytes.first(kShown * width);
    std::size_t end = 0;
    while (end + width <= bytes.size() && unsigned_bits(bytes.subspan(end, width), order_) != 0) end += width;
    const bool has_end = end + width <= bytes.size();
    if (!has_end && !is_long) return {};
    bytes = bytes.first(end);
    return fmt::format(" \"{}\"{}", width == 1 ? string_text(bytes) : wide_text(width, bytes, order_),
                       has_end ? "" : "...");
  }

  const ProgramSymbols* symbols_;
  Names& names_;
  std::endian order_;
  std::array<Known, static_cast<std::size_t>(ValueForm::Float) - static_cast<std::size_t>(ValueForm::Pointer)>
      pointers_;
  std::unordered_map<const Register*, Known> flags_;
  fxt::Budget text_bytes_{kTextBytes};
};

}  // namespace convert::tfile
