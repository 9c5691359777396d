// Where a conversion writes to: one file, or the pieces of a trace that is cut, written by a thread of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "converters/app/block_queue.h"
#include "fxt/cutter.h"
#include "fxt/tools/trace_files.h"

namespace convert {

class TraceOutput {
 public:
  // With `cut`, that part of the trace, and if it is split, into files named by fxt::piece_name(). Throws
  // std::runtime_error where a file can't be written, UsageError where something else would be overwritten.
  TraceOutput(fxt::tools::PieceFiles::Options files, const std::optional<fxt::CutOptions>& cut);
  // Without finish(), as abandon().
  ~TraceOutput() { abandon(); }
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  // For the Writer. Throws std::runtime_error.
  fxt::Output& blocks() { return queue_; }
  // The trace is complete: waits until it is written, and gives the file its name. Throws std::runtime_error.
  void finish();
  // The trace is incomplete: files that are not complete are dropped.
  void abandon();

  // ---- After one of these ----

  const fxt::tools::PieceFiles& files() const { return files_; }
  // Whether a file was written. None is written for a range of time without any event.
  bool has_part() const { return !is_empty_; }
  // What became of the trace; null if it was not cut.
  const fxt::CutCounters* cut() const { return cutter_ ? &cutter_->counters() : nullptr; }

 private:
  // The files for the cutter. A range without an event completes none.
  class PartFiles final : public fxt::PieceOutputs, public fxt::Output {
   public:
    explicit PartFiles(TraceOutput& owner) : owner_(owner) {}
    fxt::Output& next(std::size_t number) override;
    std::span<std::uint64_t> exchange(std::size_t filled_words) override {
      return file_->exchange(filled_words);
    }
    void finish() override;

   private:
    TraceOutput& owner_;
    fxt::tools::TraceFileOutput* file_ = nullptr;
  };

  void run();
  void write_blocks();
  void cut_blocks();

  fxt::tools::PieceFiles files_;
  PartFiles part_files_;
  std::optional<fxt::Cutter> cutter_;
  bool has_range_;
  bool is_empty_ = false;
  BlockQueue queue_;
  std::exception_ptr failure_;  // the thread's
  std::thread thread_;
};

}  // namespace convert
