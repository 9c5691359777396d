// SPDX-License-Identifier: Apache-2.0
// The kinds of content of a trace, and how each known reader uses them. A table in fxt/README.md has the
// same content. `--check --for READER` uses this data.
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
  std::string_view name;  // for example "async operations"
  // The kinds of records: "async-begin, async-instant, async-end"; empty if the content is a part of records.
  std::string_view kinds;
  // What each KnownReader except the spec does with the content: "shown", "ignored" …
  std::array<std::string_view, 4> uses;
};

// All entries, in the order of the enumerators.
FXT_API std::span<const ContentUse> content_uses();

// The readers that ignore this content.
FXT_API KnownReaders readers_that_ignore(Content content);

// The content of a record, or nothing for records that only structure the file. Parts of the record, such as
// arguments and categories, are not considered.
FXT_API std::optional<Content> content_of(const Record& record);

}  // namespace fxt
