// Where a conversion writes to: one file, or the pieces of one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/output.h"

namespace convert {

class TraceOutput {
 public:
  virtual ~TraceOutput() = default;
  // For the Writer; in the background it is written.
  virtual fxt::Output& blocks() = 0;
  // All is written: gives the file its name. Throws fxt::tools::OutputError, as blocks() does.
  virtual void finish() = 0;
  // Nothing more comes; what is not complete is dropped.
  virtual void give_up() = 0;

  // ---- After one of these ----

  virtual std::uint64_t bytes_written() const = 0;
  // The files that are complete.
  virtual std::vector<std::string> files() const = 0;
  // Pieces of an earlier trace, called as if they were of this one.
  virtual std::vector<std::string> left_over() const { return {}; }
  // What became of the trace, if it was cut.
  virtual const fxt::CutCounters* cut() const { return nullptr; }
};

struct OutputOptions {
  bool force = false;                    // replaces files of any content
  std::vector<std::string> inputs = {};  // are never replaced
  unsigned jobs = 1;                     // threads that compress
};

// `target` as OutputFile takes it; with `cut`, that part of the trace, and if it is split, into files named
// by fxt::piece_name(). Throws UsageError where something else would be overwritten.
std::unique_ptr<TraceOutput> open_output(const std::string& target, const fxt::CutOptions* cut,
                                         const OutputOptions& how);

}  // namespace convert
