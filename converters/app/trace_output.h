// The output of a conversion, which has its own thread: one file, or the pieces of a trace.
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
#include "fxt/tools/thinning.h"
#include "fxt/tools/trace_files.h"

namespace convert {

// The trace is larger than allowed. It was not completed.
struct TraceTooLarge : std::exception {
  explicit TraceTooLarge(std::uint64_t size) : bytes(size) {}
  const char* what() const noexcept override { return "the trace is larger than --fit"; }

  // The total size of the files, before compression, up to the file that exceeds the limit.
  std::uint64_t bytes;
};

class TraceOutput {
 public:
  // If `cut` is given, writes only the part of the trace that `cut` selects. If `cut` splits the trace,
  // writes files named by fxt::piece_name(). Throws std::runtime_error if a file can't be written, and
  // UsageError if an existing file must not be replaced. finish() throws TraceTooLarge if the trace has more
  // than `most_bytes` before compression. If `thinning` is not null, `cut` is required, and the caller must
  // have begun a pass of `thinning`. The TraceOutput does not own `thinning`.
  TraceOutput(fxt::tools::PieceFiles::Options files, const std::optional<fxt::CutOptions>& cut,
              std::optional<std::uint64_t> most_bytes = {}, fxt::tools::Thinning* thinning = nullptr);
  // Abandons the output unless finish() was called.
  ~TraceOutput() { abandon(); }
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  // The Output for the Writer. Its functions throw std::runtime_error.
  fxt::Output& blocks() { return queue_; }
  // Must be called when the trace is complete. Waits until it is written, and gives the file its name. Throws
  // std::runtime_error.
  void finish();
  // Ends the writing of an incomplete trace, and the writing thread. Drops the files that are not complete.
  void abandon();

  // ---- After finish() or abandon() ----

  const fxt::tools::PieceFiles& files() const { return files_; }
  // True if a file was written. For a range of time without events, no file is written.
  bool has_part() const { return !is_empty_; }
  // The counters of the cutter; null if the trace was not cut.
  const fxt::CutCounters* cut() const { return cutter_ ? &cutter_->counters() : nullptr; }

 private:
  // The files for the cutter. For a range without events, no file is completed.
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
  void complete(fxt::tools::TraceFileOutput& file);

  fxt::tools::PieceFiles files_;
  PartFiles part_files_;
  std::optional<fxt::Cutter> cutter_;
  std::optional<std::uint64_t> most_bytes_;
  fxt::tools::Thinning* thinning_;
  bool has_range_;
  bool is_empty_ = false;
  BlockQueue queue_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace convert
