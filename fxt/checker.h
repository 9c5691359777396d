// SPDX-License-Identifier: Apache-2.0
// Checks a trace against the rules, in one pass over its records. It knows how Fuchsia's C++ and Rust
// readers, Perfetto and Tracy read: what one of them loses or misdraws is an error. Memory grows with
// threads, names and open operations, not with the length of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "fxt/reader.h"
#include "fxt/rules.h"

namespace FXT_API fxt {

class Checker {
 public:
  // Called with each finding once it is certain. Nesting is judged after sorting by time, so findings are not
  // quite in the order of the file.
  using Report = std::function<void(const Finding&)>;
  // In which order times and nesting are judged.
  enum class Order : std::uint8_t { ByTime, AsWritten };
  // Findings are about these readers only. If these are not all of them, notes say which kinds of records
  // they ignore.
  explicit Checker(Report report, KnownReaders readers = KnownReaders::all(), Order order = Order::ByTime);
  ~Checker();
  Checker(Checker&&) noexcept;
  Checker& operator=(Checker&&) noexcept;

  // The records of one file, in order, each right after `reader` has read it. The Reader's options must not
  // skip zero words.
  void add(const Entry& entry, const Reader& reader);
  // To be called after the last record: reports what is only known at the end of the file.
  void finish(const Reader& reader);

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
