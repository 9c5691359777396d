// SPDX-License-Identifier: Apache-2.0
// Checks each record that a Writer writes, by the same rules as the Checker. It is meant for tests, for debug
// builds, and for converters of formats in which events may break rules of FXT readers.
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
  Throw,    // an error throws a CheckError, and the record is left out; warnings are collected
  Collect,  // the record is written unchanged, and the finding is collected
  Repair,   // see CheckedOutput; findings without a repair are collected
};

struct CheckedOutputOptions {
  OnFinding on_finding = OnFinding::Throw;
  KnownReaders readers = KnownReaders::all();  // the findings are about these readers
};

// An Output for one Writer. Checks each record when it is written, and passes it on to another Output.
// Therefore, a finding is reported during the call of the Writer that causes it. For these checks, the events
// of a thread, a flow or an async operation must be written in the order of time. A check takes a few hundred
// ns per record.
//
// Repair changes records in these ways:
//   - an instant with "frame" in its name becomes a duration of no length;
//   - process and thread ids of 0 become kIdForZero;
//   - a complete event that ends before it begins gets the length 0;
//   - a flow event gets a new duration of no length if no duration encloses it, or if the enclosing duration
//     already contains an instant or an ended complete event;
//   - an argument is removed if an earlier argument has the same name;
//   - an argument of a counter is removed if it is not a number;
//   - if two counters have a series of the same name, all series of the later counter get the name of
//     this counter as a prefix;
//   - records that readers ignore are left out: ends without a begin, steps and ends of flows that have not
//     begun or are open in several processes, begins of open flows, and counters without a value.
class CheckedOutput final : public Output {
 public:
  // No process has this id.
  static constexpr std::uint64_t kIdForZero = 0x7fff'ffff;

  // Keeps a reference to `output`, which must outlive the CheckedOutput.
  explicit CheckedOutput(Output& output, const CheckedOutputOptions& options = {});
  ~CheckedOutput() override;

  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  bool takes_each_record() const override { return true; }
  // Reports the findings that are known only at the end, such as durations that never end. If it throws,
  // finish() of the other Output is not called.
  void finish() override;

  // The collected findings. Their offsets are positions in the bytes that the Writer has written, before
  // repairs.
  const std::vector<Finding>& findings() const;
  // The number of findings that were repaired.
  std::uint64_t repaired() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
