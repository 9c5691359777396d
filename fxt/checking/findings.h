// The interface through which the parts of the Checker report their findings. Internal to the Checker.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "fxt/reader.h"
#include "fxt/rules.h"

namespace fxt {

// Returns "ignored by Perfetto and Tracy", for example.
std::string ignored_by(KnownReaders readers);

class Findings {
 public:
  Findings(std::function<void(const Finding&)> report, KnownReaders readers)
      : report_(std::move(report)), readers_(readers) {}

  // True if only some readers are selected. Then, records that they ignore are also reported.
  bool is_for_some_readers() const { return readers_ != KnownReaders::all(); }

  // Sets the current record; `record` is its kind, as fxt-dump prints it.
  void set_record(std::uint64_t offset, std::string_view record) {
    offset_ = offset;
    record_ = record;
  }
  std::uint64_t offset() const { return offset_; }
  std::string_view record() const { return record_; }

  // Adds a finding about the current record. Use report() for a record at another offset.
  void add(Fault fault, std::string problem) const { report(fault, offset_, record_, std::move(problem)); }
  void report(Fault fault, std::uint64_t offset, std::string_view record, std::string problem) const {
    FaultCost cost = cost_of(fault, readers_);
    if (cost.readers.empty()) return;
    report_({.rule = cost.rule,
             .severity = cost.severity,
             .offset = offset,
             .record = record,
             .problem = std::move(problem),
             .effect = std::move(cost.effect),
             .fault = fault,
             .readers = cost.readers});
  }
  void report_ignored(KnownReaders ignoring, std::uint64_t offset, std::string_view record,
                      std::string problem) const {
    if ((ignoring & readers_).empty()) return;
    const FaultCost cost = cost_of(Fault::Ignored, ignoring & readers_);
    report_({.rule = cost.rule,
             .severity = cost.severity,
             .offset = offset,
             .record = record,
             .problem = std::move(problem),
             .effect = ignored_by(ignoring & readers_),
             .fault = Fault::Ignored,
             .readers = cost.readers});
  }

 private:
  std::function<void(const Finding&)> report_;
  KnownReaders readers_;
  std::uint64_t offset_ = 0;
  std::string_view record_;
};

// Reports a problem of the current record as a finding of the rule that it breaks.
void report(const Problem& problem, const Entry& entry, Findings& findings);

// The offset of another record that a problem mentions, such as "+0x1234".
inline std::string offset_text(std::uint64_t offset) {
  std::array<char, 16> digits = {};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), offset, 16).ptr;
  return "+0x" + std::string(digits.data(), end);
}

}  // namespace fxt
