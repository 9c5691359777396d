// SPDX-License-Identifier: Apache-2.0
// Reads a trace in the order of time, as viewers draw it, whatever the order in the file. A first look finds
// whether the file is in order; the records of such a file come straight from the Reader.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "fxt/input.h"
#include "fxt/reader.h"

namespace FXT_API fxt {

// Events, context switches, wakeups, logs and profiler records are sorted by their time. Records of one time
// keep the order of the file, with one exception: of the complete events of one thread that begin together,
// longer ones come before shorter ones. Records of other kinds, large blobs, and records with an impossible
// time stay between the records in order that are around them in the file.
//
// Late records, which come after later ones, are kept in memory, and beyond a limit in a temporary file.
class OrderedReader {
 public:
  // Provides the bytes of the trace from their start; is called once for each pass.
  using Open = std::function<std::unique_ptr<Input>()>;
  struct Options {
    // For late records; a 16th of it for the bytes of a pipe. What is more goes to temporary files.
    std::size_t memory_bytes = std::size_t{64} << 20;
  };

  // Reads memory, which must outlive the OrderedReader and is not copied.
  explicit OrderedReader(std::span<const std::byte> memory);
  OrderedReader(std::span<const std::byte> memory, const Options& options);
  explicit OrderedReader(Open open);
  OrderedReader(Open open, const Options& options);
  // Copies an Input that can be read only once, such as a pipe, and reads the copy.
  explicit OrderedReader(Input& input);
  OrderedReader(Input& input, const Options& options);
  ~OrderedReader();
  OrderedReader(OrderedReader&&) noexcept;
  OrderedReader& operator=(OrderedReader&&) noexcept;

  // The next record, or null at the end; reader().end() then has the reason. An exception of the Input passes
  // through after the records that could be read. Throws std::system_error if the temporary file fails.
  const Entry* next();
  // True if the records come in the order of the file.
  bool is_in_order() const;
  // The trace again, from its start, for a Reader in the order of the file.
  std::unique_ptr<Input> open() const;
  // The Reader of the latest record, with its provider, tick rate and tables; after the end, the one that has
  // read the whole trace.
  const Reader& reader() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
