// A pass over the inputs, from the importers to the output. --fit needs several passes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "converters/app/options.h"
#include "converters/app/range_sink.h"
#include "converters/app/report.h"
#include "converters/app/trace_output.h"
#include "converters/model/importer.h"
#include "converters/model/lanes/lane_short_calls.h"
#include "converters/model/sink/fxt_sink.h"
#include "fxt/support/call_lengths.h"
#include "fxt/tools/thinning.h"

namespace convert {

void note_unused_options(const ConvertOptions& options, Notes& notes);

class Conversion {
 public:
  using Offsets = std::span<const std::optional<std::int64_t>>;

  // Imports the inputs. Calls that are shorter than `shortest_ns` are left out, and added to `lengths` unless
  // `lengths` is null. If `thinning` is not null, call one of its begin functions before write().
  Conversion(ConvertOptions options, Offsets offsets_ns, std::uint64_t shortest_ns = 0,
             fxt::CallLengths* lengths = nullptr, fxt::tools::Thinning* thinning = nullptr);

  // Writes the trace. Throws TraceTooLarge if the trace has more than `most_bytes`.
  void write(std::optional<std::uint64_t> most_bytes = {});

  const ConvertOptions& options() const { return options_; }

  // ---- After write() ----

  const Notes& notes() const { return notes_; }
  Report report() const { return {options_.inputs, options_.output, stats_, timeline_, written_}; }
  std::uint64_t trace_bytes() const { return output_->files().trace_bytes(); }
  // The size of the trace if it is written without `thinning`.
  std::int64_t words_before_thinning() const {
    return static_cast<std::int64_t>(is_cut_ ? trace_bytes() / sizeof(std::uint64_t)
                                             : writer_->words_written());
  }
  // For each name, the size in words that its string record would have; 0 if the trace already has the name.
  // The result stays valid after this object is destroyed.
  fxt::CallLengths::NameWords name_words();
  std::int64_t words_of_left_out() {
    return words_of_name(rule_.left_out) + words_of_name(rule_.left_out_ns);
  }

 private:
  bool is_split() const { return options_.cut && options_.cut->is_split(); }
  LaneOptions lane_options() const;
  std::int64_t words_of_name(NameId name) {
    return static_cast<std::int64_t>(sink_->bytes_of_name(name) / sizeof(std::uint64_t));
  }
  void write_events();
  void finish_output();
  void note_fitted();

  ConvertOptions options_;
  const bool is_cut_;  // by the options, not only for thinning
  Names names_;
  Notes notes_;
  ImportStats stats_;
  const ShortCallRule rule_;
  fxt::tools::Thinning* thinning_;
  Timeline timeline_;
  ImportContext context_{names_, notes_, timeline_, stats_, options_.import};
  std::optional<TraceOutput> output_;
  std::optional<fxt::Writer> writer_;
  std::optional<FxtSink> sink_;
  std::optional<RangeSink> range_;
  Written written_;
};

// --fit. Leaves out all calls that are shorter than a certain length. This is the smallest length with which
// the trace fits. Some call sizes are only estimates, so the trace may still become too large. If this
// happens, the inputs are converted again with fewer calls.
std::unique_ptr<Conversion> fit(const ConvertOptions& options, Conversion::Offsets offsets_ns);

}  // namespace convert
