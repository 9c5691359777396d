// The files of a trace that is written (one file or numbered pieces), and the file of a trace that is read.
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

// Opens a trace like open_input(). Throws FileError if the file is clearly not a trace. The message of this
// error names the kind of the file. Throws UsageError if the trace would be read from the terminal.
std::unique_ptr<Input> open_trace(const std::string& path);

// Throws UsageError if `path` is not suitable for this format. A new file must not have a suffix of another
// format, unless `takes_any_name` is true. A binary trace must not go to standard output ("-") if that is a
// terminal.
void check_target(const std::string& path, const TraceFormat& format, bool takes_any_name);

// Makes the option --format, which sets `format`. The help of the option calls the file `output`. If `format`
// is null, the suffix of the file's name determines the format.
Option format_option(std::string_view output, const TraceFormat*& format);

// Throws UsageError if `path` is a file that must not be replaced. An input must not be replaced. Another
// file may be replaced if it is empty or of this kind, plain or compressed, or if `replaces_anything` is
// true. Devices and similar files pass, because they are written to, and not replaced. Throws FileError if an
// existing file can't be read.
void check_replaceable(const std::string& path, const std::vector<std::string>& inputs,
                       bool replaces_anything, const FileKind& kind = {});

// A file for a Writer, compressed according to the suffix of its name. The file gets its name when the Writer
// has finished.
class TraceFileOutput final : public Output {
 public:
  // With `syncs`, the file is on the disk when finish() returns. Each function throws std::runtime_error if
  // writing fails.
  explicit TraceFileOutput(const std::string& path, bool syncs = false,
                           const TraceFormat& format = fxt_format());
  // Writes bytes that are already encoded. A caller uses either this function or exchange().
  void write(std::span<const std::byte> bytes) {
    stream_->write(bytes);
    trace_bytes_ += bytes.size();
  }
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  void finish() override;

  bool is_finished() const { return is_finished_; }
  std::uint64_t bytes_written() const { return file_.bytes_written(); }
  // The size of the trace as FXT, before it is converted or compressed.
  std::uint64_t trace_bytes() const { return trace_bytes_; }
  // The number of records that the format can't represent.
  std::uint64_t left_out() const { return converted_ != nullptr ? converted_->left_out() : 0; }

 private:
  OutputFile file_;
  std::unique_ptr<ByteStream> stream_;
  const FormatStream* converted_ = nullptr;  // points to *stream_, unless the file is FXT
  std::vector<std::uint64_t> buffer_;
  std::uint64_t trace_bytes_ = 0;
  bool syncs_;
  bool is_finished_ = false;
};

// The files of one trace: a single file, or numbered pieces.
class PieceFiles final : public PieceOutputs {
 public:
  struct Options {
    std::string target;  // "-" is standard output, for a single file only
    bool is_split = false;
    std::uint64_t split_bytes = 0;         // size of each piece; 0: no limit
    bool replaces_anything = false;        // existing files may be replaced; any number of pieces is allowed
    bool syncs = false;                    // files are on the disk when they are finished
    std::vector<std::string> inputs = {};  // inputs are never replaced
    const TraceFormat* format = &fxt_format();
  };
  // Calls check_replaceable() for all files that may have to be replaced. Throws UsageError also if pieces
  // can't be named after the target.
  explicit PieceFiles(Options options);

  // Returns the file of piece `number`, which must be the latest piece or the next one. Throws FileError, for
  // example if there are too many pieces.
  TraceFileOutput& next(std::size_t number) override;

  // If `replaces_anything` is set, does nothing. Otherwise, throws UsageError if pieces can't be as small as
  // requested, because the names and open calls that each piece repeats need more space. Throws FileError if
  // the pieces are far larger than the part of the trace that was read.
  void check_size(const CutCounters& counters, std::uint64_t read_bytes) const;

  std::vector<std::string> complete() const;
  // The names of complete files, for a message. If there are many, only the first and the last name.
  std::string complete_text() const;
  // Files that are named like pieces of this trace, but belong to an earlier trace, which had more pieces.
  std::vector<std::string> left_over() const;
  std::uint64_t bytes_written() const;
  // The size of all pieces as FXT, before they are converted or compressed.
  std::uint64_t trace_bytes() const { return trace_bytes_before_ + (file_ ? file_->trace_bytes() : 0); }
  const TraceFormat& format() const { return *options_.format; }
  // The number of records in all files that the format can't represent.
  std::uint64_t left_out() const;

 private:
  Options options_;
  std::vector<std::string> names_;
  std::optional<TraceFileOutput> file_;
  std::uint64_t bytes_before_ = 0, trace_bytes_before_ = 0, left_out_before_ = 0;
};

}  // namespace fxt::tools
