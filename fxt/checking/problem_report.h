// Reports what the Reader found odd in a record, by rule. Internal to the Checker.
#pragma once

#include <string_view>

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

// The effect of records that are too large.
inline constexpr std::string_view kLosesTheRest = "Perfetto and Tracy lose the rest of the file";

// Reports a problem of the current record by the rule that it breaks.
void report(const Problem& problem, const Entry& entry, const Findings& findings);

}  // namespace fxt
