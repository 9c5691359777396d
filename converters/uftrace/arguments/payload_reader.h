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

#include "converters/uftrace/arguments/payload_plans.h"
#include "converters/uftrace/arguments/pointer_names.h"
#include "converters/uftrace/records/payloads.h"
#include "converters/uftrace/symbols/label_cache.h"

namespace convert::uftrace {

// What the payload readers of a recording share.
struct PayloadShop {
  Symbolizer& symbolizer;
  PayloadPlans& plans;
  Names& names;
  Demangle demangle;
  std::endian order;
};

class PayloadReader : public Payloads {
 public:
  // Borrows both for its whole life.
  PayloadReader(const PayloadShop& shop, const Task& task)
      : shop_(shop), task_(task), pointers_(shop.names, shop.demangle) {}

  std::optional<std::size_t> size_of(const CallRecord& call, std::span<const std::byte> behind,
                                     unsigned reading) override;
  void add_values(const CallRecord& call, std::span<const std::byte> payload, unsigned reading,
                  Arguments& into) override;
  std::optional<Argument> number(const CallRecord& call, std::span<const std::byte> payload, unsigned reading,
                                 NameId name) override;
  bool records(const CallRecord& call, NameId name) override;

 private:
  const PayloadPlan* plan_of(const CallRecord& call, unsigned reading);
  const FunctionPlans* look_up(std::uint64_t address);
  void enter_view(std::uint64_t time_ns);

  PayloadShop shop_;
  const Task& task_;
  std::optional<SymbolView> view_;
  PointerNames pointers_;
  AddressCache<const FunctionPlans*, 10> known_;  // of the view; every thread has one
  std::vector<std::uint64_t> room_;
};

}  // namespace convert::uftrace
