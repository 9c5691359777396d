// SPDX-License-Identifier: Apache-2.0
// Checks a trace against the rules of its known readers: Fuchsia's C++ and Rust readers, Perfetto and Tracy.
// A record that one of these readers loses or draws wrongly is an error. Memory grows with threads, names and
// open operations, not with the length of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "fxt/ordered_reader.h"
#include "fxt/reader.h"
#include "fxt/rules.h"

namespace FXT_API fxt {

class Checker {
 public:
  // Called with each finding once it is certain.
  using Report = std::function<void(const Finding&)>;
  // Reports only findings about `readers`.
  explicit Checker(Report report, KnownReaders readers = KnownReaders::all());
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  // Calls add(), add_sorted() and finish() for the whole trace.
  void check(OrderedReader& trace);

  // Checks the rules about tables, encoding and values. Must be called with the records of one file in the
  // order of the file, each right after `reader` has read it. The Reader must not skip zero words.
  void add(const Entry& entry, const Reader& reader);
  // Checks the rules about durations, flows and async operations. Must be called with the records in the
  // order of time, as an OrderedReader returns them. Viewers sort events, so the order in the file matters
  // only for equal times.
  void add_sorted(const Entry& entry, const Reader& reader);
  // Reports the findings that are known only at the end of the file. Must be called after the last record;
  // `reader` must have read the file in the order of the file.
  void finish(const Reader& reader);

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
