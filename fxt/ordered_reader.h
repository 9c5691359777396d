// SPDX-License-Identifier: Apache-2.0
// Reads a trace in the order of time, as viewers draw it, even if the file has another order. A first pass
// finds out whether the file is in order. If so, the records come straight from the Reader.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "fxt/input.h"
#include "fxt/reader.h"

namespace FXT_API fxt {

// Events, context switches, wakeups, logs and profiler records are sorted by time. Records with equal times
// keep the order of the file, with one exception: if complete events of a thread begin together, longer
// events come before shorter ones. Records of other kinds, large blobs, and records with an impossible time
// keep their place between their neighbors in the file.
//
// Late records, which come after records with a later time, are kept in memory. If they exceed a limit, they
// go to a temporary file.
class OrderedReader {
 public:
  // Opens the trace at its start. Called once for each pass.
  using Open = std::function<std::unique_ptr<Input>()>;
  struct Options {
    // Late records beyond this limit go to temporary files. The copy of a pipe may use 1/16 of this limit in
    // addition.
    std::size_t memory_bytes = std::size_t{64} << 20;
  };

  // Reads from memory, which must outlive the OrderedReader and is not copied.
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

  // Returns the next record, or null at the end; reader().end() then has the reason. If the Input throws an
  // exception, next() throws it after the last record that could be read. Throws std::system_error if the
  // temporary file fails.
  const Entry* next();
  // True if the file is in the order of time.
  bool is_in_order() const;
  // Opens the trace again, at its start. A Reader of this Input returns the records in the order of the file.
  std::unique_ptr<Input> open() const;
  // The Reader of the latest record, with the record's provider, tick rate and tables. After the end, it is
  // the Reader that has read the whole trace.
  const Reader& reader() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
