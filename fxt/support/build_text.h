// The components from which a program was built: the lines below its name in `--version`.
#pragma once

#include <string>
#include <string_view>

namespace fxt {

// Returns "commit 0a1b2c3, gcc 12.2.0\nBoost 1_74\n", for example. `libraries` comes first: the libraries of
// one program, such as "libdw 0.188".
std::string build_text(std::string_view libraries = {});

}  // namespace fxt
