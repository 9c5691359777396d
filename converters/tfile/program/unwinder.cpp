#include "converters/tfile/program/unwinder.h"

#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "converters/tfile/program/debug_info.h"

namespace convert::tfile {

void Unwinder::start(std::uint64_t pc) {
  pc_ = pc;
  problem_.clear();
  registers_ = {};
  DebugInfo* const info = symbols_.debug_info_at(pc);
  if (info == nullptr) return;
  registers_.values.resize(info->general_registers());
  for (std::size_t i = 0; i < registers_.values.size(); ++i)
    if (const Register* const reg = info->register_of(i, frame_.layout()))
      registers_.values[i] = frame_.register_value(*reg);
}

std::nullopt_t Unwinder::stop(std::string problem) {
  // If the budget is exceeded, the other problems are misleading: call frame information seems to be missing,
  // and locations seem to be unsupported.
  if (!frame_.take_work(0)) problem = "the limit of steps to evaluate the values of this file is reached";
  problem_ = std::move(problem);
  return std::nullopt;
}

const CallFrame* Unwinder::call_frame() const {
  constexpr std::uint64_t kWork = 256;
  DebugInfo* const info = symbols_.debug_info_at(pc_);
  return info != nullptr && frame_.take_work(kWork) ? info->call_frame_at(pc_) : nullptr;
}

std::optional<std::uint64_t> Unwinder::frame_address() const {
  const CallFrame* const call = call_frame();
  if (call == nullptr) return std::nullopt;
  const CodeScope& scope = symbols_.debug_info_at(pc_)->types_scope();
  const Storage cfa = locate_in_call(call->cfa, registers_, scope, frame_);
  return cfa.kind == Storage::Kind::Memory ? std::optional(frame_.masked(cfa.address)) : std::nullopt;
}

std::optional<Caller> Unwinder::next() {
  const CallFrame* const call = call_frame();
  if (call == nullptr) return stop(fmt::format("no call frame information for {:#x} was found", pc_));
  const CodeScope& scope = symbols_.debug_info_at(pc_)->types_scope();
  const Storage cfa = locate_in_call(call->cfa, registers_, scope, frame_);
  if (cfa.kind != Storage::Kind::Memory)
    return stop(fmt::format("the caller of {:#x} is unknown: {}", pc_, problem_of(cfa.missing)));
  const std::uint64_t frame_address = frame_.masked(cfa.address);
  if (registers_.cfa && frame_address <= *registers_.cfa)
    return stop(fmt::format("the stack is damaged at {:#x}", frame_address));
  registers_.cfa = frame_address;

  std::vector<std::optional<std::uint64_t>> values = registers_.values;
  for (const CallFrame::Rule& rule : call->rules) {
    if (rule.reg >= values.size()) continue;
    std::optional<std::uint64_t>& value = values[rule.reg];
    value.reset();
    const bool is_return_address = rule.reg == call->return_address;
    if (rule.operations.empty()) {
      if (is_return_address) return std::nullopt;  // the frame of the outermost function
      continue;
    }
    const Storage storage = locate_in_call(rule.operations, registers_, scope, frame_);
    if (storage.kind == Storage::Kind::Memory) {
      value = frame_.number(storage.address, frame_.address_bytes());
      if (!value && is_return_address)
        return stop(fmt::format("the stack at {:#x} was not recorded", frame_.masked(storage.address)));
    } else if (storage.kind == Storage::Kind::Bytes) {
      value = unsigned_bits(storage.bytes, frame_.order());
    }
  }
  registers_.values = std::move(values);
  const auto address = call->return_address < registers_.values.size()
                           ? registers_.values[call->return_address]
                           : std::nullopt;
  if (!address) return stop(fmt::format("the frame lacks the return address of the code at {:#x}", pc_));
  if (*address == 0) return std::nullopt;
  // The return address is after the call instruction, and pc_ must be inside this instruction. If a signal
  // interrupted the caller, the return address is already the address of the interrupted instruction.
  pc_ = frame_.masked(call->is_signal ? *address : *address - 1);
  const CallFrame* const caller = call_frame();
  return Caller{pc_, caller != nullptr && caller->is_signal};
}

}  // namespace convert::tfile
