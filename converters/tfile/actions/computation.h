// Computes variables that are stored nowhere, from the registers and the memory that a frame holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/program/symbols.h"

namespace convert::tfile {

struct ResolvedStep {
  ComputationStep::What what{};
  std::int64_t number = 0;
  const Register* reg = nullptr;  // of What::Register
};
using Computation = std::vector<ResolvedStep>;

// Looks up the registers of the steps. Nothing if the target lacks one. `layout` may be null.
std::optional<Computation> resolved(std::span<const ComputationStep> steps, const RegisterLayout* layout);

// What a frame holds. Both functions return nothing for what it does not hold.
struct FrameValues {
  std::function<std::optional<std::uint64_t>(const Register&)> of_register;
  std::function<std::optional<std::uint64_t>(std::uint64_t address, std::size_t bytes)> in_memory;
  std::size_t address_bytes = 8;  // or 4
};
std::optional<std::uint64_t> computed(std::span<const ResolvedStep> steps, const FrameValues& frame);

}  // namespace convert::tfile
