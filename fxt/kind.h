// One word for each kind of record, as fxt-dump prints it.
#pragma once

#include <span>
#include <string_view>

#include "fxt/records.h"

namespace fxt {

// "instant", "kernel-object", "string", ... Events go by their type.
std::string_view kind_of(const Record& record);
// The type must be one of the eleven.
std::string_view kind_of(EventType type);

// All of them.
std::span<const std::string_view> kinds();

}  // namespace fxt
