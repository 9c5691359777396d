// What a program was built from: the lines of `--version` below its name.
#pragma once

#include <string>
#include <string_view>

namespace fxt {

// "commit 0a1b2c3, gcc 12.2.0\nBoost 1_74\n". `libraries` are those of the
// program alone, as "libdw 0.188", which stand before the others.
std::string build_text(std::string_view libraries = {});

}  // namespace fxt
