// Judges what the fuzz targets convert: any input may be refused, but a trace must open in every reader.
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
    // Recordings may be longer than Tracy's clock: a note says so.
    if (finding.severity != fxt::Severity::Error || finding.fault == fxt::Fault::LongSpan) return;
    fmt::print(stderr, "{} at byte {}: {}: {}\n", finding.rule, finding.offset, finding.record,
               finding.problem);
    std::abort();
  });
}

}  // namespace convert
