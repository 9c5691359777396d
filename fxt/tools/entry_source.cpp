#include "fxt/tools/entry_source.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fxt/tools/selection.h"

namespace fxt::tools {
ExitCode report_end(const EntrySource& source, const char* program, const std::string& file) {
  const ReadEnd& end = source.reader().end();
  const std::string problem = describe(end);
  if (!source.failure().empty()) {
    std::fprintf(stderr, "%s: %s\n", program, source.failure().c_str());
  } else if (!problem.empty()) {
    std::fprintf(stderr, "%s: %s:+0x%llx: %s%s\n", program, file.c_str(),
                 static_cast<unsigned long long>(end.offset), end.offset == 0 ? "no trace: " : "",
                 problem.c_str());
  } else if (end.reason == ReadEnd::Reason::EndOfFile && end.offset == 0) {
    std::fprintf(stderr, "%s: %s: the file is empty\n", program, file.c_str());
  } else if (!source.requested_threads().any_found()) {
    fmt::print(stderr, "{}: {}: has none of the threads asked for: {}\n", program, file,
               fmt::join(source.requested_threads().koids(), ", "));
  } else {
    return ExitCode::Done;
  }
  return ExitCode::Failed;
}

void RequestedThreads::search(const Record& record) {
  const auto threads = threads_of(record);
  any_found_ = std::ranges::find_first_of(threads, koids_) != threads.end();
}

}  // namespace fxt::tools
