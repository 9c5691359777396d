// The record that is written instead of a record with findings, as fxt/checked_output.h describes. Internal
// to the CheckedOutput.
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
  // Keeps references to the data of the record, which must outlive this object. Except in scheduling
  // records, replaces the id 0 of a process or a thread by CheckedOutput::kIdForZero.
  explicit RepairedRecord(const Record& record);
  RepairedRecord(const RepairedRecord&) = delete;
  RepairedRecord& operator=(const RepairedRecord&) = delete;

  // Returns false if the fault has no repair.
  bool repair(Fault fault);
  void write(Writer& writer) const;

 private:
  bool repair_event(Fault fault);
  // Keeps only the arguments for which `is_kept(argument, kept)` returns true. `kept` contains the earlier
  // arguments that were kept.
  template <typename IsKept>
  bool keep_arguments(IsKept is_kept);
  bool name_series();

  Record record_;
  Event* event_;
  bool is_left_out_ = false;
  bool needs_duration_ = false;
  std::vector<std::string> texts_;
};

}  // namespace fxt
