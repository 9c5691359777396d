// SPDX-License-Identifier: Apache-2.0
// Judges what a Writer writes, record by record, as the Checker judges a file. For tests and debug builds,
// and for programs that convert traces of other formats, whose events may have what a reader of FXT minds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "fxt/output.h"
#include "fxt/rules.h"

namespace FXT_API fxt {

class CheckError : public std::logic_error {
 public:
  explicit CheckError(Finding finding);
  const Finding& finding() const { return finding_; }

 private:
  Finding finding_;
};

enum class OnFinding : std::uint8_t {
  Throw,    // an error is a CheckError; the record is left out. Warnings are collected.
  Collect,  // the record is written as it is
  Repair,   // see CheckedOutput; what has no repair is collected
};

struct CheckedOutputOptions {
  OnFinding on_finding = OnFinding::Throw;
  KnownReaders readers = KnownReaders::all();  // that the findings are about
};

// An Output for one Writer, between it and another Output. Records are judged in the order in which they are
// written, so each finding comes from the call that has caused it. The events of a thread, a flow, or an
// async operation must therefore come in the order of time. Costs a few hundred ns a record.
//
// Repair writes each record anew:
//   - an instant with "frame" in its name becomes a duration of no length;
//   - process and thread ids of 0 become kIdForZero;
//   - a complete event that ends before it begins gets no length;
//   - a flow outside of all durations, or after one that is over, gets a duration of no length;
//   - an argument of a counter that is not a number is removed, and so is one with the name of another;
//   - a series that has the name of another counter's gets the name of its counter before its own;
//   - these are left out, as readers ignore them: ends that end nothing, steps and ends of flows that have
//     not begun, begins of flows that are open, and counters without a value.
class CheckedOutput final : public Output {
 public:
  // An id that no process has.
  static constexpr std::uint64_t kIdForZero = 0x7fff'ffff;

  // Borrows the Output.
  explicit CheckedOutput(Output& output, const CheckedOutputOptions& options = {});
  ~CheckedOutput() override;

  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  bool takes_each_record() const override { return true; }
  // Judges what is only known at the end, as durations that never end. If that throws, the other Output is
  // not finished.
  void finish() override;

  // What was collected. The offsets count what the Writer has written, also where a repair has changed it.
  const std::vector<Finding>& findings() const;
  // Findings that were repaired.
  std::uint64_t repaired() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
