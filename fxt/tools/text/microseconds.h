// Times as tables show them.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace fxt::tools {

// "1234.567": nothing is rounded.
inline std::string microseconds(std::uint64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

}  // namespace fxt::tools
