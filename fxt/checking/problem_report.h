// What readers make of a record that the Reader found odd. Internal to the Checker.
#pragma once

#include <string_view>

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

// Of records that are too large.
inline constexpr std::string_view kLosesTheRest = "Perfetto and Tracy lose the rest of the file";

// Reports a problem of the record at hand, by the rule that it breaks.
void report(const Problem& problem, const Entry& entry, const Findings& findings);

}  // namespace fxt
