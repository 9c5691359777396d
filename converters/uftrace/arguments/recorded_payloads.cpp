#include "converters/uftrace/arguments/recorded_payloads.h"

namespace convert::uftrace {

const FunctionLayouts* RecordedPayloads::look_up(std::uint64_t address) {
  const FunctionLayouts* const found = &shop_.plans.of(symbols_.at(address), symbols_.space());
  known_.put(address, found);
  return found;
}

const PayloadLayout* RecordedPayloads::plan_of(const CallRecord& call, unsigned reading) {
  if (symbols_.move_to(call.time_ns)) {
    pointers_.forget();
    known_ = {};
  }
  const FunctionLayouts* const* const known = known_.find(call.address);
  const FunctionLayouts* const found = known != nullptr ? *known : look_up(call.address);
  const std::vector<PayloadLayout>& plans = call.is_entry() ? found->entry : found->exit;
  return reading < plans.size() ? &plans[reading] : nullptr;
}

std::optional<std::size_t> RecordedPayloads::size_of(const CallRecord& call,
                                                     std::span<const std::byte> behind, unsigned reading) {
  const PayloadLayout* const plan = plan_of(call, reading);
  if (plan == nullptr) return std::nullopt;
  const auto size = plan->size_of(behind, shop_.order);
  return size && *size <= kMaxPayload ? size : std::nullopt;
}

void RecordedPayloads::add_values(const CallRecord& call, std::span<const std::byte> payload,
                                  unsigned reading, Arguments& into) {
  const PayloadLayout* const plan = plan_of(call, reading);
  if (plan != nullptr) plan->add_values(payload, shop_.order, pointers_, room_, into);
}

std::optional<Argument> RecordedPayloads::number(const CallRecord& call, std::span<const std::byte> payload,
                                                 unsigned reading, NameId name) {
  const PayloadLayout* const plan = plan_of(call, reading);
  return plan != nullptr ? plan->number(payload, shop_.order, name) : std::nullopt;
}

bool RecordedPayloads::records(const CallRecord& call, NameId name) {
  const PayloadLayout* const plan = plan_of(call, 0);
  return plan != nullptr && plan->has(name);
}

}  // namespace convert::uftrace
