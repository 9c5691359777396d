// Checks the traces of the fuzz targets. An input may be rejected, but a trace must open in every reader.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

#include "fxt/output.h"
#include "fxt/rules.h"
#include "tests/fxt/check_words.h"

namespace convert {

inline void require_no_error(const fxt::MemoryOutput& trace) {
  fxt::test::check(trace.words(), [](const fxt::Finding& finding) {
    // A long recording may exceed the range of Tracy's clock. The converter then adds a note, so this error
    // is allowed.
    if (finding.severity != fxt::Severity::Error || finding.fault == fxt::Fault::LongSpan) return;
    fmt::print(stderr, "{} at byte {}: {}: {}\n", finding.rule, finding.offset, finding.record,
               finding.problem);
    std::abort();
  });
}

}  // namespace convert
