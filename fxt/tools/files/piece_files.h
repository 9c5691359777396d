// The files of a trace that is cut: one, or numbered pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/tools/files/trace_file.h"

namespace fxt::tools {

class PieceFiles final : public PieceOutputs {
 public:
  struct Options {
    std::string target;  // "-" is standard output, of one file only
    bool is_split = false;
    bool replaces_anything = false;
    std::vector<std::string> inputs = {};  // are never replaced
    unsigned jobs = 1;                     // threads that compress
  };
  // Looks at all files that may be in the way. Throws NotReplaceable.
  explicit PieceFiles(Options options);

  // Throws OutputError. Asked again for the same piece, gives it again.
  TraceFile& next(std::size_t number) override;

  // Those that are complete.
  std::vector<std::string> complete() const;
  // Pieces of that name which are not of this trace: those of an earlier one that had more.
  std::vector<std::string> left_over() const;
  std::uint64_t bytes_written() const;

 private:
  std::string name_of(std::size_t number) const;

  Options options_;
  std::vector<std::string> names_;
  std::optional<TraceFile> file_;  // the latest
  std::uint64_t bytes_before_ = 0;
};

}  // namespace fxt::tools
