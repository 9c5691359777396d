// Tells whether a trace keeps the rules, from one pass over its records. It knows how Fuchsia's C++ and Rust
// readers, Perfetto and Tracy read: what they lose or misdraw is an error. Memory grows with threads, names
// and open operations, not with the length of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "fxt/reader.h"
#include "fxt/rules.h"

namespace fxt {

class Checker {
 public:
  // `report` gets each finding once it is certain: nesting is judged after sorting by time, so findings come
  // not quite in the order of the file.
  using Report = std::function<void(const Finding&)>;
  explicit Checker(Report report);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // The records of one file, in order, each right after `reader` has read it. The Reader's options must not
  // skip zero words.
  void add(const Entry& entry, const Reader& reader);
  // After the last record: what only the end of the file tells.
  void finish(const Reader& reader);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
