// Converts payloads of records to arguments. PayloadLayouts makes the layouts of each function of a recording
// once, from specs. PayloadDecoder runs their steps for the records of one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/names/names.h"
#include "converters/model/reading/bits.h"
#include "converters/symbols/dwarf_info.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/enums.h"
#include "converters/uftrace/arguments/spec.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "converters/uftrace/recording/records.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

class SymbolNames {
 public:
  virtual ~SymbolNames() = default;
  // Returns the name of the symbol that contains the address.
  virtual std::optional<NameId> symbol_at(std::uint64_t address) = 0;
};

// A list of steps. Each step converts one value of a payload. The steps are made once from specs, and run for
// each record.
class PayloadLayout {
 public:
  // The data that are needed to make a layout. The enums must outlive the layout.
  struct Context {
    std::endian order;
    Names& names;
    const EnumTypes& enums;
    const EnumTypes* module_enums = nullptr;  // enums of the module, searched before `enums`; may be null
    const FunctionType* function = nullptr;   // parameters and result of the function; may be null
  };
  PayloadLayout(const std::vector<SpecItem>& items, const Context& context);
  // A std::set of layouts needs an order, which has no other meaning. Equal layouts convert a payload to
  // equal values.
  friend auto operator<=>(const PayloadLayout&, const PayloadLayout&) = default;

  // Returns the size of the values at the start of `bytes`, without padding after them. Returns nothing if
  // `bytes` is too short.
  std::optional<std::size_t> size_of(std::span<const std::byte> bytes) const {
    std::size_t at = 0;
    for (const std::size_t before : texts_) {
      at += before;
      if (at + kTextHead > bytes.size()) return std::nullopt;
      at += aligned(kTextHead + load<std::uint16_t>(bytes.data() + at, order_));
    }
    at += fixed_size_;
    return at <= bytes.size() ? std::optional(at) : std::nullopt;
  }
  // Appends the values with the names `arg1`, `fparg1`, `retval` …, or with the names of parameters. After a
  // pointer to a symbol comes `<name> symbol`, and after a struct `<name> bytes`. Appends nothing if the size
  // of `payload` is not the size of the layout.
  void add_values(std::span<const std::byte> payload, SymbolNames& symbols, Arguments& into) const;
  // Writes the same values to `words`, in the packed form of Arguments. There must be space for most_words().
  // The size of `payload` must be exactly the size of the layout.
  PackedArguments put_values(std::span<const std::byte> payload, SymbolNames& symbols,
                             std::uint64_t* words) const;
  // Returns an upper limit for the number of words that put_values() writes.
  std::size_t most_words(std::size_t payload_bytes) const {
    return fixed_words_ + payload_bytes / sizeof(std::uint64_t);
  }
  // Returns the value to which options refer as `name`, for example `arg1`. Returns nothing if the value is
  // not a number. For a character, returns the code. For an enumerator, returns its number.
  std::optional<Argument> number(std::span<const std::byte> payload, NameId name) const;
  bool has(NameId name) const {
    return std::ranges::any_of(steps_, [name](const Step& step) { return step.name == name; });
  }

 private:
  enum class Load : std::uint8_t {
    Signed,
    Unsigned,
    Auto,      // 8 bytes; the sign is guessed
    AutoPart,  // fewer bytes
    Bits,      // an unsigned number; `header` shows whether it is a Uint64 or a Pointer
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
    NameId name;  // name in options, such as `arg1`; the name in the trace is in `header`
    Load load;
    std::uint32_t size;   // size of the value in bytes
    std::uint32_t space;  // size with padding; not used for strings
    std::uint64_t header;
    // The header of a second argument (symbol or bytes), or the header to use if a number is large.
    std::uint64_t extra_header = 0;
    const EnumType* type = nullptr;
    std::uint64_t struct_text = 0;  // NameId of the text that is shown for a struct

    friend auto operator<=>(const Step&, const Step&) = default;
  };

  static constexpr std::size_t kTextHead = 2;  // size of the length before a string, in bytes
  // Each value in a payload begins at a multiple of 4 bytes.
  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

  static Step step_of(const SpecItem& item, const Context& context);
  static std::size_t most_words_of(const Step& step);
  template <std::endian Order>
  PackedArguments put_ordered(const std::byte* at, SymbolNames& symbols, std::uint64_t* word) const;
  bool is_whole(std::span<const std::byte> payload) const {
    return payload.size() <= kMaxPayload && size_of(payload) == payload.size();
  }

  std::endian order_;
  std::vector<Step> steps_;
  std::vector<std::size_t>
      texts_;  // for each string: the size of the values between the previous string and this string
  std::size_t fixed_size_ = 0;   // size of the values after the last string
  std::size_t fixed_words_ = 0;  // most_words() without the bytes of strings
};

// The possible layouts of the payloads at a function's entries and exits. The most likely layout comes first.
struct FunctionLayouts {
  std::vector<PayloadLayout> entry = {}, exit = {};

  friend auto operator<=>(const FunctionLayouts&, const FunctionLayouts&) = default;
};

// The layouts of all functions of a recording. The layouts of a function are made at the function's first
// payload. Safe to use from several threads. A result of of() does not depend on earlier calls of of().
class PayloadLayouts {
 public:
  struct Context {
    Symbolizer& symbolizer;
    SpecTable& specs;
    DebugFiles& debug;
    Names& names;
    Demangle demangle;
    std::endian order;
  };
  // The objects in the context must outlive this object.
  explicit PayloadLayouts(const Context& context) : context_(context) {}

  // Returns the layouts of the function `symbol`, which was found in this address space. Valid as long as
  // this object.
  const FunctionLayouts& of(const SymbolAt& symbol, const AddressSpace* space);
  const Context& context() const { return context_; }

 private:
  std::vector<PayloadLayout> compile(std::vector<std::vector<SpecItem>> lists, const DebugFile* file,
                                     const FunctionType& function) const;

  Context context_;
  std::mutex mutex_;
  // The layouts, indexed by symbol and image, because a spec may apply to only one module.
  std::map<std::pair<const Symbol*, const Image*>, const FunctionLayouts*> functions_;
  // Functions with equal layouts share one element, so that fewer layouts need space in the CPU's cache.
  std::set<FunctionLayouts> layouts_;
};

// RecordCursor uses this interface to get the possible layouts of a payload.
class CandidateLayouts {
 public:
  virtual ~CandidateLayouts() = default;
  // Returns the layouts of the payloads at the entries, or exits, of the function at `address`. The most
  // likely layout comes first.
  virtual std::span<const PayloadLayout> candidates(std::uint64_t time_ns, std::uint64_t address,
                                                    bool is_entry) = 0;
};

}  // namespace convert::uftrace
