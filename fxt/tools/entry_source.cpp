#include "fxt/tools/entry_source.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fxt/tools/selection.h"

namespace fxt::tools {
ExitCode report_end(const EntrySource& source, const char* program, const std::string& file) {
  const ReadEnd& end = source.reader().end();
  std::string problem = describe(end);
  if (!source.failure().empty()) {
    problem = source.failure();
  } else if (!problem.empty()) {
    problem = fmt::format("{}:+{:#x}: {}{}", file, end.offset, end.offset == 0 ? "no trace: " : "", problem);
  } else if (end.reason == ReadEnd::Reason::EndOfFile && end.offset == 0) {
    problem = file + ": the file is empty";
  } else if (!source.has_threads()) {
    problem =
        fmt::format("{}: has none of the threads asked for: {}", file, fmt::join(source.threads(), ", "));
  } else {
    return ExitCode::Done;
  }
  fmt::print(stderr, "{}: {}\n", program, printable(problem));
  return ExitCode::Failed;
}

bool EntrySource::names_one(const Record& record) const {
  const auto threads = threads_of(record);
  return std::ranges::find_first_of(threads, threads_) != threads.end();
}

}  // namespace fxt::tools
