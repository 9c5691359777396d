// SPDX-License-Identifier: Apache-2.0
// The names that a shared library exports: all names that the public headers declare, except names marked as
// internal. All public headers include this header, so it also checks the version of C++.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error \
    "fxt needs C++20: compile with -std=c++20 or later (CMake: target_compile_features(<target> PRIVATE cxx_std_20))"
#endif

// Each namespace needs one of these macros, which then also applies to its classes. Each function outside of
// a class needs one as well, because clang ignores the macro of the namespace if the function is defined
// elsewhere.
#define FXT_API [[gnu::visibility("default")]]
#define FXT_INTERNAL [[gnu::visibility("hidden")]]
