// What stands for texts in events: numbers that Names gives.
#pragma once

#include <cstdint>

namespace convert {

enum class NameId : std::uint32_t {};   // an interned string
enum class LabelId : std::uint32_t {};  // an interned (category, name) pair

}  // namespace convert
