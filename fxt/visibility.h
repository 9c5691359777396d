// SPDX-License-Identifier: Apache-2.0
// What a shared library exports: what the headers for its users declare, but for what is marked as internal.
// All of them include this one, so it also says which C++ they need.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error \
    "fxt needs C++20: compile with -std=c++20 or later (CMake: target_compile_features(<target> PRIVATE cxx_std_20))"
#endif

// Stands at a namespace, for its classes, and at each function outside of a class: clang does not extend the
// visibility of a namespace to functions that are defined elsewhere.
#define FXT_API [[gnu::visibility("default")]]
#define FXT_INTERNAL [[gnu::visibility("hidden")]]
