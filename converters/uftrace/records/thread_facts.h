// What is known of a thread before its records are read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

struct ThreadFacts {
  std::endian order = std::endian::little;
  std::size_t max_stack = 0;                     // depths the recorder may have written; 0 if unknown
  std::uint64_t begun_ns = 0;                    // when the thread may have begun; 0 if that is not known
  std::optional<std::uint64_t> elapsed_ns = {};  // how long the recording took, if that is known
  // Whether a function may lie there in any program that the thread runs, ran or will run.
  std::function<bool(std::uint64_t address)> is_code = [](std::uint64_t) { return true; };
};

// Borrows the task and the symbolizer.
ThreadFacts facts_of(const Task& task, const Info& info, Symbolizer& symbolizer);

}  // namespace convert::uftrace
