// Register layouts for recordings without a target description: what GDB assumes for an architecture.
#pragma once

#include <span>
#include <string_view>

#include "converters/tfile/description/register_layout.h"

namespace convert::tfile {

// All of them, those of common machines first. Built on first use.
std::span<const RegisterLayout> default_layouts();

// For GDB's name of an architecture; null when there is none. A more specific name ("mips:isa64r2") gives the
// nearest known one.
const RegisterLayout* default_layout(std::string_view architecture);

// Whether a block of this size is typical for the layout (KGTP's prefixes, amd64 with and without AVX, …).
bool is_typical_size(const RegisterLayout& layout, std::size_t block_size);

}  // namespace convert::tfile
