// Reads one <TID>.dat forward, and fills the thread's lane. Plain entries and exits go from a block to the
// lane at memory speed. All other items go to OwnRecords. SideStreams emits the events that are due between
// the records. docs/inside.md shows the pipeline.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "converters/model/importer.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/timeline.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/record_notes.h"
#include "converters/uftrace/threads/own_records.h"
#include "converters/uftrace/threads/thread_plan.h"

namespace convert::uftrace {

class ThreadSource : public Source {
 public:
  // The arguments must stay valid until Timeline::run() returns. Throws InputError if opening a file fails.
  ThreadSource(ThreadPlan& plan, Lane& lane, SharedByThreads& shared, ImportContext& context);

  bool pump(const PumpBudget& budget) override;
  std::uint64_t watermark_ns() const override { return std::max(lane_.last_ns(), delivered_until_ns_); }
  std::uint64_t begin_ns() const override;
  std::uint64_t calls_end_ns() const override { return calls_end_ns_; }

  std::uint64_t size() const { return cursor_.end() - std::min(plan_.facts.part.begin, cursor_.end()); }

 private:
  void skip_to_range();
  void read_block(const PumpBudget& budget, WorkerScratch& scratch);
  void emit_block(std::uint64_t delivered_until_ns, WorkerScratch& scratch);
  template <typename MakeCalls>
  void emit_records(std::uint64_t delivered_until_ns, WorkerScratch& scratch, MakeCalls fast_calls);
  void emit_streams_until(std::uint64_t until_ns);
  void end_thread_before(const Due& due);
  void end_calls();
  void finish();
  void note_dropped(const NoteKind& kind, std::uint64_t count);

  ThreadPlan& plan_;
  Lane& lane_;
  SharedByThreads& shared_;
  ImportContext& context_;
  InputFile file_;
  RecordNotes notes_;
  ThreadStages stages_;
  RecordCursor cursor_;
  OwnRecords own_records_;
  bool has_begun_ = false;
  std::uint64_t delivered_until_ns_ = 0;  // the time limit of the last pump()
  bool are_calls_over_ = false;
  std::uint64_t calls_end_ns_ = kForever;
};

}  // namespace convert::uftrace
