// A record as it is written instead of one with findings: what fxt/checked_output.h describes. Internal to
// the CheckedOutput.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fxt/records.h"
#include "fxt/rules.h"
#include "fxt/writer.h"

namespace fxt {

class RepairedRecord {
 public:
  // Borrows what the record borrows. Replaces ids of 0.
  explicit RepairedRecord(const Record& record);
  RepairedRecord(const RepairedRecord&) = delete;
  RepairedRecord& operator=(const RepairedRecord&) = delete;

  // False if the fault has no repair.
  bool repair(Fault fault);
  void write(Writer& writer) const;

 private:
  bool repair_event(Fault fault);
  // `is_kept(argument, those that are kept so far)`.
  template <typename IsKept>
  bool keep_arguments(IsKept is_kept);
  bool name_series();

  Record record_;
  Event* event_;
  bool is_left_out_ = false;
  bool needs_duration_ = false;  // around it
  std::vector<std::string> texts_;
};

}  // namespace fxt
