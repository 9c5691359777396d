// What names and arguments of records must keep, asked by the Writer before and by the Checker afterwards.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "fxt/format.h"
#include "fxt/records.h"

namespace fxt {

// A name in a message, cut when it is long.
std::string quoted(std::string_view name);

// One number for the category and name of an event; 0 if both are empty.
std::size_t hash_of_names(const Event& event);

// What a counter may have: Perfetto and Tracy take no other types (W20).
bool is_numeric(const Value& value);

// The first argument whose name stood before; null if each has its own (W20, W25). Missing names are not
// compared.
const Argument* repeated_argument(const Arguments& arguments);

// The type that an argument of a scheduling record has by convention: of context switches incoming_weight and
// outgoing_weight are Int32; of wakeups weight is Int32, waker is Koid (fxt-notes section 5; Perfetto insists
// on it). Nothing for others.
std::optional<ArgumentType> type_of_scheduling_argument(SchedulingType record, std::string_view name);

}  // namespace fxt
