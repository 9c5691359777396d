// Reports what the Reader found odd in a record, by rule. Internal to the Checker.
#pragma once

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

// Reports a problem of the current record by the rule that it breaks.
void report(const Problem& problem, const Entry& entry, Findings& findings);

}  // namespace fxt
