#include "converters/tfile/program/named_places.h"

#include <algorithm>

#include "converters/model/reading/text.h"
#include "converters/tfile/program/die.h"
#include "fxt/hash.h"

namespace convert::tfile {
namespace {

bool is_in_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The hash at the end of Rust's names: "h0123456789abcdef".
bool is_hash_of_rust(std::string_view name) {
  constexpr std::size_t kSize = 17;
  return name.size() == kSize && name.front() == 'h' &&
         name.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

std::uint32_t hash_of(std::string_view key) { return static_cast<std::uint32_t>(fxt::SeededHash()(key)); }

// Consumes a name with its length: "3run".
std::optional<std::string_view> consume_name(std::string_view& symbol) {
  const auto size = consume_number(symbol);
  if (!size || *size == 0 || *size > symbol.size()) return std::nullopt;
  const std::string_view name = symbol.substr(0, *size);
  symbol.remove_prefix(*size);
  return std::ranges::all_of(name, is_in_identifier) ? std::optional(name) : std::nullopt;
}

bool consume_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::string plain_name_of(std::string_view symbol) {
  return without_abi_tags(demangled(symbol, Demangle::Simple));
}

std::string_view key_of_name(std::string_view plain_name) {
  plain_name = plain_name.substr(0, plain_name.find('<'));
  std::size_t begin = plain_name.size();
  while (begin > 0 && is_in_identifier(plain_name[begin - 1])) --begin;
  return plain_name.substr(begin);
}

// In mangled names, "N…E" is a nested name, and "St" is std. "L" precedes names with internal linkage, "B"
// precedes ABI tags, and "I" precedes template arguments. Constructors and destructors have the name of their
// class.
std::optional<std::string_view> key_of_symbol(std::string_view symbol) {
  if (symbol.starts_with("_R") || symbol.starts_with("_D")) return std::nullopt;
  if (!consume_prefix(symbol, "_Z")) return key_of_name(symbol);
  for (const std::string_view special : {"TV", "TT", "TI", "TS"})  // tables and type information of a class
    if (consume_prefix(symbol, special)) break;
  const bool is_nested = consume_prefix(symbol, "N");
  if (is_nested) symbol.remove_prefix(std::min(symbol.find_first_not_of("rVKRO"), symbol.size()));
  consume_prefix(symbol, "St");
  for (std::string_view last;;) {
    consume_prefix(symbol, "L");
    if (symbol.empty()) return std::nullopt;
    if (is_digit(symbol.front())) {
      const auto name = consume_name(symbol);
      if (!name) return std::nullopt;
      while (consume_prefix(symbol, "B"))
        if (!consume_name(symbol)) return std::nullopt;
      last = *name;
      if (is_nested && !symbol.starts_with('I')) continue;
    } else if (last.empty() || std::string_view("ECD").find(symbol.front()) == std::string_view::npos ||
               symbol.starts_with("CI")) {
      return std::nullopt;
    }
    if (last.starts_with("_GLOBAL_") || is_hash_of_rust(last)) return std::nullopt;
    return last;
  }
}

void NamedPlaces::put_in_order() {
  places_.shrink_to_fit();
  std::ranges::sort(places_, {}, [](const Place& place) { return std::pair(place.address, place.order); });
  block_end_.resize((places_.size() + kBlock - 1) / kBlock);
  for (std::size_t i = 0; i < places_.size(); ++i)
    block_end_[i / kBlock] = std::max(block_end_[i / kBlock], places_[i].address + places_[i].size);
}

const NamedPlaces::Place* NamedPlaces::find(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(places_, address, {}, &Place::address);
  for (auto i = static_cast<std::size_t>(after - places_.begin()); i > 0;) {
    if (block_end_[(i - 1) / kBlock] <= address) {
      i = (i - 1) / kBlock * kBlock;
    } else if (const Place& place = places_[--i]; address - place.address < place.size) {
      return &place;
    }
  }
  return nullptr;
}

std::span<const NamedPlaces::Key> NamedPlaces::with_key_of(std::string_view name) {
  if (by_key_.empty()) {
    by_key_.reserve(places_.size());
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const std::string_view symbol = places_[i].symbol;
      const auto key = key_of_symbol(symbol);
      by_key_.emplace_back(hash_of(key ? *key : key_of_name(plain_name_of(symbol))), i);
    }
    std::ranges::sort(by_key_);
  }
  const std::uint32_t hash = hash_of(key_of_name(name));
  const auto first = std::ranges::lower_bound(by_key_, hash, {}, &Key::first);
  const auto last = std::ranges::upper_bound(first, by_key_.end(), hash, {}, &Key::first);
  return {first, last};
}

}  // namespace convert::tfile
