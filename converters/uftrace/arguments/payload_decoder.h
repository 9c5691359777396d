// Finds the layouts of payloads. PayloadLayouts makes the layouts of each function of a recording once.
// PayloadDecoder finds the layouts for the addresses in the records of one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/payload_layout.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "fxt/hash.h"

namespace convert::uftrace {

// The possible layouts of the payloads at a function's entries and exits. The most likely layout comes first.
struct FunctionLayouts {
  std::span<const PayloadLayout> entry = {}, exit = {};
};

// The layouts of all functions of a recording. The layouts of a function are made at the function's first
// payload. Safe to use from several threads. A result does not depend on earlier calls.
class PayloadLayouts {
 public:
  struct Context {
    Symbolizer& symbolizer;
    const SpecTable& specs;
    DebugFiles& debug;
    Names& names;
    Demangle demangle;
    std::endian order;
  };
  // The objects in the context must outlive this object.
  explicit PayloadLayouts(const Context& context) : context_(context) {}

  // Returns the layouts of the function `symbol`, which was found in this address space. Valid as long as
  // this object.
  FunctionLayouts of(const SymbolAt& symbol, const AddressSpace* space);
  const Context& context() const { return context_; }

 private:
  std::span<const PayloadLayout> compile(std::vector<std::vector<SpecItem>> lists, const DebugFile* file,
                                         const FunctionType& function);

  Context context_;
  std::mutex mutex_;
  // The layouts, indexed by symbol and image, because a spec may apply to only one module.
  std::map<std::pair<const Symbol*, const Image*>, FunctionLayouts> functions_;
  // Functions with the same values share layouts, so that fewer layouts need space in the CPU's cache.
  std::set<std::vector<PayloadLayout>> layouts_;
};

// Decodes the payloads of one thread, with the symbols of the thread's program at the time of each record.
class PayloadDecoder final : public CandidateLayouts, private SymbolNames {
 public:
  // `layouts` and `task` must outlive this object.
  PayloadDecoder(PayloadLayouts& layouts, const Task& task)
      : layouts_(layouts), symbols_(layouts.context().symbolizer, task) {}

  std::span<const PayloadLayout> candidates(std::uint64_t time_ns, std::uint64_t address,
                                            bool is_entry) override;
  // Appends the values of the record for which candidates() was last called. `layout` is one of its results.
  void add_values(const PayloadLayout& layout, std::span<const std::byte> payload, Arguments& into) {
    layout.add_values(payload, *this, into);
  }
  PackedArguments put_values(const PayloadLayout& layout, std::span<const std::byte> payload,
                             std::uint64_t* words) {
    return layout.put_values(payload, *this, words);
  }

 private:
  struct AddressRange {
    std::uint64_t start, end;
  };

  void find_ranges();
  std::optional<NameId> symbol_at(std::uint64_t address) override;

  PayloadLayouts& layouts_;
  TaskSymbols symbols_;
  // ---- Caches for the current symbols ----
  using FunctionCache = AddressCache<FunctionLayouts, 8>;
  std::optional<FunctionCache> functions_;  // made at the first payload, which most threads do not have
  std::vector<AddressRange> ranges_;  // ranges that may contain symbols, sorted by start, without overlaps
  fxt::SeededMap<std::uint64_t, std::optional<NameId>> pointers_;
};

}  // namespace convert::uftrace
