// SPDX-License-Identifier: Apache-2.0
// What a shared library exports: what the headers for its users declare, but for what is marked as internal.
#pragma once

#define FXT_API [[gnu::visibility("default")]]
#define FXT_INTERNAL [[gnu::visibility("hidden")]]
