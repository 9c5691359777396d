// SPDX-License-Identifier: Apache-2.0
// Checks a trace against the rules. It knows how Fuchsia's C++ and Rust readers, Perfetto and Tracy read:
// what one of them loses or misdraws is an error. Memory grows with threads, names and open operations, not
// with the length of the trace.
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
  // Findings are about these readers only.
  explicit Checker(Report report, KnownReaders readers = KnownReaders::all());
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  // Both inputs, and the end.
  void check(OrderedReader& trace);

  // The records of one file in its order, each right after `reader` has read it: for the rules about tables,
  // encoding and values. The Reader's options must not skip zero words.
  void add(const Entry& entry, const Reader& reader);
  // The same records in the order of time, as an OrderedReader gives them: for the rules about durations,
  // flows and async operations. Viewers sort events, so the order in the file matters only where times are
  // equal.
  void add_sorted(const Entry& entry, const Reader& reader);
  // To be called after the last record: reports what is only known at the end of the file. `reader` has read
  // the file in its order.
  void finish(const Reader& reader);

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
