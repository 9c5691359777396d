// SPDX-License-Identifier: Apache-2.0
// What a trace can hold, and what each known reader does with it: one table, from which `--check --for
// READER` counts what that reader ignores, and the README says it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "fxt/records.h"
#include "fxt/rules.h"

namespace FXT_API fxt {

enum class Content : std::uint8_t {
  Durations,
  Instants,
  ArgumentsOfInstants,
  ScopesOfInstants,
  Counters,
  AsyncOperations,
  Flows,
  Categories,
  ProcessNames,
  ThreadNames,
  OtherObjects,
  UserspaceObjects,
  Scheduling,
  Logs,
  PerfettoBlobs,
  OtherBlobs,
  LargeBlobs,
  ProfilerRecords,
  ProviderEvents,
  UnknownRecords,
};
inline constexpr std::size_t kContents = static_cast<std::size_t>(Content::UnknownRecords) + 1;

struct ContentUse {
  Content content;
  std::string_view name;   // "async operations"
  std::string_view kinds;  // "async-begin, async-instant, async-end"; empty for a part of other records
  // By KnownReader, without the spec: "shown", "ignored" …
  std::array<std::string_view, 4> uses;
};

// All of them, in the order of the enumerators.
FXT_API std::span<const ContentUse> content_uses();

// The readers that ignore it.
FXT_API KnownReaders readers_that_ignore(Content content);

// What a record is, if it is more than structure: not its parts, as arguments and categories.
FXT_API std::optional<Content> content_of(const Record& record);

}  // namespace fxt
