// Reads the payloads of one thread: finds the plans of each record's function, as the program was at that
// time, and runs them.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "converters/uftrace/arguments/payload_layouts.h"
#include "converters/uftrace/arguments/pointer_names.h"
#include "converters/uftrace/records/payload_decoder.h"
#include "converters/uftrace/symbols/task_symbols.h"

namespace convert::uftrace {

// What the payload readers of a recording share.
struct PayloadContext {
  Symbolizer& symbolizer;
  PayloadLayouts& plans;
  Names& names;
  Demangle demangle;
  std::endian order;
};

class RecordedPayloads : public PayloadDecoder {
 public:
  // Borrows both for its whole life.
  RecordedPayloads(const PayloadContext& shop, const Task& task)
      : shop_(shop), symbols_(shop.symbolizer, task), pointers_(symbols_, shop.names, shop.demangle) {}

  std::optional<std::size_t> size_of(const CallRecord& call, std::span<const std::byte> behind,
                                     unsigned reading) override;
  void add_values(const CallRecord& call, std::span<const std::byte> payload, unsigned reading,
                  Arguments& into) override;
  std::optional<Argument> number(const CallRecord& call, std::span<const std::byte> payload, unsigned reading,
                                 NameId name) override;
  bool records(const CallRecord& call, NameId name) override;

 private:
  const PayloadLayout* plan_of(const CallRecord& call, unsigned reading);
  const FunctionLayouts* look_up(std::uint64_t address);

  PayloadContext shop_;
  TaskSymbols symbols_;
  PointerNames pointers_;
  AddressCache<const FunctionLayouts*, 10> known_;  // by these symbols; every thread has one
  std::vector<std::uint64_t> room_;
};

}  // namespace convert::uftrace
