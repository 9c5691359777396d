// Which calls of a recording's threads were open at the marks that another recorder of the same process made.
#pragma once

#include <string>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// A thread with a record file.
struct RecordedThread {
  const Lane* lane;
  const Task* task;
  std::string path;
  ThreadFacts facts;
  std::vector<std::uint64_t> inherited = {};  // as ThreadPlan::inherited
};

class RecordedCalls : public CallHistory {
 public:
  // Reads files only in positions(). Borrows the first two.
  RecordedCalls(Symbolizer& symbolizer, PayloadLayouts& layouts, bool records_ends,
                std::vector<RecordedThread> threads);

  std::vector<const Lane*> lanes() const override;
  bool records_ends() const override { return records_ends_; }
  std::vector<MarkPosition> positions(const Lane& lane, std::span<const MarkWindow> windows) override;

 private:
  Symbolizer& symbolizer_;
  PayloadLayouts& layouts_;
  bool records_ends_;
  std::vector<RecordedThread> threads_;
};

}  // namespace convert::uftrace
