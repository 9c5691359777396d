// The threads of a recording as hosts: which calls were open at marks that another recorder of the same
// process made.
#pragma once

#include <string>
#include <vector>

#include "converters/model/merging/guests.h"
#include "converters/uftrace/arguments/payload_reader.h"
#include "converters/uftrace/records/thread_facts.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// A thread with a record file.
struct HostThread {
  const Lane* lane;
  const Task* task;
  std::string path;
  ThreadFacts facts;
  std::vector<std::uint64_t> inherited = {};  // as ThreadPlan::inherited
};

class RecordingHost : public Host {
 public:
  // Reads the files only when it is asked. Borrows the first two.
  RecordingHost(Symbolizer& symbolizer, const PayloadShop& payloads, bool knows_ends,
                std::vector<HostThread> threads);

  std::vector<const Lane*> lanes() const override;
  bool knows_ends() const override { return knows_ends_; }
  std::vector<MarkPlace> places(const Lane& lane, std::span<const MarkWindow> windows) override;

 private:
  Symbolizer& symbolizer_;
  const PayloadShop& payloads_;
  bool knows_ends_;
  std::vector<HostThread> threads_;
};

}  // namespace convert::uftrace
