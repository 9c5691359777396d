// How the payload bytes after one kind of record become arguments: a list of specs, compiled once into steps
// that run for every record.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/symbols/dwarf_info.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/arguments/spec.h"

namespace convert::uftrace {

// A recorder writes at most 1020 bytes of values after a record, padded to 8.
inline constexpr std::size_t kMaxPayload = 1024;

class SymbolNames {
 public:
  virtual ~SymbolNames() = default;
  // The name of the symbol that contains the address.
  virtual std::optional<NameId> symbol_at(std::uint64_t address) = 0;
};

class PayloadLayout {
 public:
  // What all layouts of a module share. The enums must outlive the layout.
  struct Context {
    std::endian order;
    Names& names;
    const EnumTypes& enums;                   // of the whole recording
    const EnumTypes* module_enums = nullptr;  // these come first; may be null
    const FunctionType* function = nullptr;   // as the program has it; may be null
  };
  PayloadLayout(const std::vector<SpecItem>& items, const Context& context);

  // The bytes that the values occupy at the start of `bytes`, without padding; nothing if `bytes` is too
  // short. Only strings have a size of their own in the payload.
  std::optional<std::size_t> size_of(std::span<const std::byte> bytes) const {
    if (texts_.empty()) return fixed_size_ <= bytes.size() ? std::optional(fixed_size_) : std::nullopt;
    return size_with_texts(bytes);
  }
  // Appends the values `arg1`, `fparg1`, `retval` …, or by the names of their parameters; after a pointer to
  // a symbol `<name>.symbol`, after a struct `<name>.bytes`. Appends nothing unless `payload` has exactly the
  // layout's size.
  void add_values(std::span<const std::byte> payload, SymbolNames& symbols, Arguments& into) const;
  // Writes the same, packed as Arguments are, at `words`, where most_words() must be there. `payload` must
  // have exactly the layout's size.
  PackedArguments put_values(std::span<const std::byte> payload, SymbolNames& symbols,
                             std::uint64_t* words) const;
  // An upper limit of the words that the values of a payload occupy.
  std::size_t most_words(std::size_t payload_bytes) const {
    return fixed_words_ + payload_bytes / sizeof(std::uint64_t);
  }
  // The value that is `arg1` … to options, if it is a number: the code of a character, the value of an
  // enumerator.
  std::optional<Argument> number(std::span<const std::byte> payload, NameId name) const;
  bool has(NameId name) const {
    return std::ranges::any_of(steps_, [name](const Step& step) { return step.name == name; });
  }

 private:
  enum class Load : std::uint8_t {
    Signed,
    Unsigned,
    Auto,      // a register of 8 bytes
    AutoPart,  // less
    Bits,      // as the header shows them
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
    NameId name;  // `arg1`, whatever it is called in the trace
    Load load;
    std::uint32_t size;              // bytes of the value
    std::uint32_t space;             // bytes occupied in the payload; unused for strings
    std::uint64_t header;            // of the argument
    std::uint64_t extra_header = 0;  // of the second argument, `.symbol` or `.bytes`; of a large number
    const EnumType* type = nullptr;  // of an enum
    std::uint64_t struct_text = 0;   // NameId of the text that is shown for a struct
  };

  static Step step_of(const SpecItem& item, const Context& context);
  static std::size_t most_words_of(const Step& step);
  std::optional<std::size_t> size_with_texts(std::span<const std::byte> bytes) const;
  template <std::endian Order>
  PackedArguments put_ordered(const std::byte* at, SymbolNames& symbols, std::uint64_t* word) const;
  bool is_whole(std::span<const std::byte> payload) const {
    return payload.size() <= kMaxPayload && size_of(payload) == payload.size();
  }

  std::endian order_;
  std::vector<Step> steps_;
  std::vector<std::size_t>
      texts_;                    // for each string: the bytes of fixed size between the previous one and it
  std::size_t fixed_size_ = 0;   // of the values after the last string
  std::size_t fixed_words_ = 0;  // of the arguments, without the bytes of strings
};

// Where RecordCursor gets the layouts that a payload may have.
class CandidateLayouts {
 public:
  virtual ~CandidateLayouts() = default;
  // The layouts of the payloads at the entries, or exits, of the function at `address`, the likeliest first.
  virtual std::span<const PayloadLayout> candidates(std::uint64_t time_ns, std::uint64_t address,
                                                    bool is_entry) = 0;
};

}  // namespace convert::uftrace
