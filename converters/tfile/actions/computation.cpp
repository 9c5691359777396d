#include "converters/tfile/actions/computation.h"

#include "converters/model/reading/load.h"

namespace convert::tfile {
namespace {

using What = ComputationStep::What;

constexpr std::size_t kMaxStack = 64;

// A number that is shifted by its width or more is 0, or only its sign if the shift is signed.
std::uint64_t combined(What what, std::uint64_t left, std::uint64_t right, std::size_t bytes) {
  const std::uint64_t width = 8 * bytes;
  switch (what) {
    case What::Add:
      return left + right;
    case What::Subtract:
      return left - right;
    case What::Multiply:
      return left * right;
    case What::And:
      return left & right;
    case What::Or:
      return left | right;
    case What::Xor:
      return left ^ right;
    case What::ShiftLeft:
      return right < width ? left << right : 0;
    case What::ShiftRight:
      return right < width ? left >> right : 0;
    case What::ShiftRightSigned:
      return static_cast<std::uint64_t>(sign_extended(left, bytes) >> (right < width ? right : width - 1));
    default:
      return 0;
  }
}

}  // namespace

std::optional<Computation> resolved(std::span<const ComputationStep> steps, const RegisterLayout* layout) {
  Computation computation;
  for (const ComputationStep& step : steps) {
    ResolvedStep& added = computation.emplace_back(ResolvedStep{.what = step.what, .number = step.number});
    if (step.what != What::Register) continue;
    added.reg = layout != nullptr ? layout->find(step.register_name) : nullptr;
    if (added.reg == nullptr) return std::nullopt;
  }
  return computation;
}

std::optional<std::uint64_t> computed(std::span<const ResolvedStep> steps, const FrameValues& frame) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * frame.address_bytes);
  std::vector<std::uint64_t> stack;
  for (const ResolvedStep& step : steps) {
    const auto number = static_cast<std::uint64_t>(step.number);
    const bool pushes = step.what == What::Constant || step.what == What::Register;
    const std::size_t needed = pushes ? 0 : step.what < What::Add ? 1 : 2;
    if (stack.size() < needed || stack.size() > kMaxStack) return std::nullopt;
    std::optional<std::uint64_t> result;
    switch (step.what) {
      case What::Constant:
        result = number;
        break;
      case What::Register:
        result = frame.of_register(*step.reg);
        if (result) *result += number;
        break;
      case What::Load:
        result = frame.in_memory(stack.back(), number == 0 ? frame.address_bytes : number);
        break;
      case What::AddConstant:
        result = stack.back() + number;
        break;
      case What::Duplicate:
        stack.push_back(stack.back());
        result = stack.back();
        break;
      case What::Negate:
        result = 0 - stack.back();
        break;
      case What::Invert:
        result = ~stack.back();
        break;
      default:
        result = combined(step.what, stack[stack.size() - 2], stack.back(), frame.address_bytes);
        break;
    }
    if (!result) return std::nullopt;
    stack.resize(stack.size() - needed);
    stack.push_back(*result & mask);
  }
  return stack.empty() ? std::nullopt : std::optional(stack.back());
}

}  // namespace convert::tfile
