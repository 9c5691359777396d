// The file of a trace that is read, and those of one that is written: one, or numbered pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/output.h"
#include "fxt/output_file.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/options.h"
#include "fxt/tools/trace_format.h"

namespace fxt::tools {

// Opens a trace as open_input() does. Throws FileError for a file that is known to be none, with what it is,
// UsageError if it would be typed at the terminal.
std::unique_ptr<Input> open_trace(const std::string& path);

// Throws UsageError if a trace of this format can't be meant to go there: the name ends as those of another
// format do, and no such file exists, or it is standard output ("-"), that is the terminal, and the trace is
// binary.
void check_target(const std::string& path, const TraceFormat& format, bool takes_any_name);

// --format: the format of the file that the help calls `output`; null: the end of its name chooses it.
Option format_option(std::string_view output, const TraceFormat*& format);

// Checks that `path` may be written: it does not exist, is empty, or is of the same kind, plain or
// compressed. With `replaces_anything` any file may be replaced but one of the inputs. Devices and the like
// are written to, not replaced. Throws UsageError, and FileError if the file that is there can't be
// read.
void check_replaceable(const std::string& path, const std::vector<std::string>& inputs,
                       bool replaces_anything, const FileKind& kind = {});

// A file that a Writer writes, compressed by the end of its name. It gets its name when the Writer has
// finished.
class TraceFileOutput final : public Output {
 public:
  // With `syncs`, the file is on the disk when it is finished. Each function throws std::runtime_error when
  // writing fails.
  explicit TraceFileOutput(const std::string& path, bool syncs = false,
                           const TraceFormat& format = fxt_format());
  // Bytes of a trace that is complete already, instead of exchange().
  void write(std::span<const std::byte> bytes) { stream_->write(bytes); }
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  void finish() override;

  bool is_finished() const { return is_finished_; }
  std::uint64_t bytes_written() const { return file_.bytes_written(); }
  // See FormatStream.
  std::uint64_t left_out() const { return converted_ != nullptr ? converted_->left_out() : 0; }

 private:
  OutputFile file_;
  std::unique_ptr<ByteStream> stream_;
  const FormatStream* converted_ = nullptr;  // the same, unless the file is FXT
  std::vector<std::uint64_t> buffer_;
  bool syncs_;
  bool is_finished_ = false;
};

// The files of one trace: a single file, or numbered pieces.
class PieceFiles final : public PieceOutputs {
 public:
  struct Options {
    std::string target;  // "-" is standard output, of one file only
    bool is_split = false;
    std::uint64_t split_bytes = 0;         // of each piece; 0: no limit
    bool replaces_anything = false;        // and may be any number of pieces
    bool syncs = false;                    // files are on the disk when they are finished
    std::vector<std::string> inputs = {};  // are never replaced
    const TraceFormat* format = &fxt_format();
  };
  // Checks all files that may have to be replaced. Throws UsageError.
  explicit PieceFiles(Options options);

  // The file of piece `number`, the latest or the next one. Throws FileError, also for more pieces than
  // anybody wants.
  TraceFileOutput& next(std::size_t number) override;

  // Throws UsageError if pieces can't be that small, unless anything goes: what begins the second one is
  // larger.
  void check_size(const CutCounters& counters) const;

  // The files that are complete.
  std::vector<std::string> complete() const;
  // The same for a message: many of them by the first and the last one.
  std::string complete_text() const;
  // Files with names of pieces that belong to an earlier trace with more pieces.
  std::vector<std::string> left_over() const;
  std::uint64_t bytes_written() const;
  const TraceFormat& format() const { return *options_.format; }
  // Records of all files that the format has no form for.
  std::uint64_t left_out() const;

 private:
  Options options_;
  std::vector<std::string> names_;
  std::optional<TraceFileOutput> file_;  // the latest
  std::uint64_t bytes_before_ = 0, left_out_before_ = 0;
};

}  // namespace fxt::tools
