// How the bytes behind one kind of record become arguments: a list of specs, worked out once into steps that
// run for every record.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/arguments/spec.h"

namespace convert::uftrace {

// An enum's names, ready to be said.
struct EnumNames {
  const EnumType* type;
  std::map<std::int64_t, NameId> names = {};
};

// What the values of a thread need to be said.
class SymbolNames {
 public:
  virtual ~SymbolNames() = default;
  // The symbol that a pointer points at.
  virtual std::optional<NameId> name_of(std::uint64_t address) = 0;
};

class PayloadLayout {
 public:
  // `enum_of` gives an enum's names, null if it is not known.
  using EnumOf = std::function<const EnumNames*(std::string_view name)>;
  PayloadLayout(const std::vector<SpecItem>& items, Names& names, const EnumOf& enum_of);

  // How many bytes the values take (texts have their length in the payload); nothing if `bytes` end before.
  std::optional<std::size_t> size_of(std::span<const std::byte> bytes, std::endian order) const {
    if (texts_.empty()) return fixed_size_ <= bytes.size() ? std::optional(fixed_size_) : std::nullopt;
    return walk(bytes, order);
  }
  // Says the values: `arg1`, `fparg1`, `retval`; beside a pointer that points at a symbol `<name>.symbol`;
  // beside a struct `<name>.bytes`. `room` is scratch that many calls may use in turn.
  void add_values(std::span<const std::byte> payload, std::endian order, SymbolNames& symbols,
                  std::vector<std::uint64_t>& room, Arguments& into) const;
  // The value of that name, if it is a number: a character is its code, an enumerator its value.
  std::optional<Argument> number(std::span<const std::byte> payload, std::endian order, NameId name) const;
  bool has(NameId name) const {
    return std::ranges::any_of(steps_, [name](const Step& step) { return name_of(step) == name; });
  }

 private:
  enum class Load : std::uint8_t {
    Signed,
    Unsigned,
    Auto,
    Pointer,
    Char,
    Float,
    Double,
    LongDouble,
    Text,
    Enum,
    Struct,
    Hidden,
  };
  struct Step {
    Load load;
    std::uint32_t size;                // bytes that count
    std::uint32_t space;               // bytes that they take, but of a text
    std::uint64_t header;              // of the argument
    std::uint64_t extra = 0;           // of the one beside it
    const EnumNames* names = nullptr;  // of an enum
    std::uint64_t constant = 0;        // how a struct is shown
  };

  static NameId name_of(const Step& step) {
    return static_cast<NameId>(ArgumentHeader::Name::get(step.header));
  }
  static Step step_of(const SpecItem& item, Names& names, const EnumOf& enum_of);
  std::optional<std::size_t> walk(std::span<const std::byte> bytes, std::endian order) const;

  std::vector<Step> steps_;
  std::vector<std::size_t> texts_;  // bytes of fixed size before each text since the one before
  std::size_t fixed_size_ = 0;      // of the values behind the last text
  std::size_t max_words_;           // of the arguments
};

}  // namespace convert::uftrace
