// --fit: finds the calls and other events that fit into a trace of a given size.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <malloc.h>
#include <memory>
#include <system_error>

#include "converters/app/conversion.h"
#include "converters/model/reading/input_error.h"
#include "fxt/support/call_lengths.h"
#include "fxt/support/short_calls.h"
#include "fxt/tools/thinning.h"
#include "fxt/words.h"

namespace convert {
namespace {

// The events that are left out so that the trace fits.
struct FitPlan {
  std::uint64_t shortest_ns = 0;                             // calls of at least this length stay; 0: all
  std::int64_t words = 0;                                    // the estimated size of the trace
  std::unique_ptr<fxt::tools::Thinning> thinning = nullptr;  // null: all other events stay
};

// Makes a plan by passes over the inputs. The traces of these passes are not kept.
class FitPlanner {
 public:
  FitPlanner(const ConvertOptions& options, Conversion::Offsets offsets_ns, std::uint64_t most_bytes);

  // Finds the shortest call length with which the trace fits. Each pass narrows the interval of candidates.
  FitPlan plan();

 private:
  static std::int64_t word_count(std::uint64_t bytes) {
    return static_cast<std::int64_t>(bytes / sizeof(std::uint64_t));
  }
  // Runs a pass that shows no calls, and adds their lengths to `lengths`. `thinning` may be null.
  using BeginPass = void (fxt::tools::Thinning::*)(const fxt::TimeRange& range);
  std::unique_ptr<Conversion> pass(fxt::CallLengths& lengths, fxt::tools::Thinning* thinning,
                                   BeginPass begin);
  void check_others(std::int64_t others) const;

  ConvertOptions options_;
  Conversion::Offsets offsets_ns_;
  std::int64_t words_;  // the maximum size of the trace in words
};

FitPlanner::FitPlanner(const ConvertOptions& options, Conversion::Offsets offsets_ns,
                       std::uint64_t most_bytes)
    : options_(options), offsets_ns_(offsets_ns), words_(word_count(most_bytes)) {
  options_.output = "/dev/null";
  options_.format = &fxt::tools::fxt_format();
  options_.sync = false;
  if (options_.cut) options_.cut->split_bytes = options_.cut->split_ns = 0;
}

FitPlan FitPlanner::plan() {
  FitPlan plan{.thinning = std::make_unique<fxt::tools::Thinning>(fxt::CutOptions{})};
  fxt::CallLengths::Interval part = fxt::CallLengths::kWhole;
  std::int64_t others = 0, words_above = 0;
  for (;;) {
    const bool is_first = part.end_ns == kForever;
    fxt::CallLengths lengths(part);
    auto conversion =
        pass(lengths, is_first ? plan.thinning.get() : nullptr, &fxt::tools::Thinning::begin_count);
    // The names kLeftOut and kLeftOutNs need kNames words. The trace of this pass already has all of these
    // words except `more_names`. A trace of all calls needs none of them.
    constexpr std::int64_t kNames =
        2 + fxt::words_of(fxt::kLeftOut.size()) + fxt::words_of(fxt::kLeftOutNs.size());
    const std::int64_t more_names = conversion->words_of_left_out();
    const auto names = conversion->name_words();
    const std::int64_t words = conversion->words_before_thinning(),
                       rewritten_words = word_count(conversion->trace_bytes());
    conversion.reset();  // later passes need the memory
    ::malloc_trim(0);
    if (is_first) {
      others = words;
      const std::int64_t calls = lengths.fit(fxt::tools::kAnyWords, 0, names).words;
      if (others + calls <= words_ + kNames - more_names) return {.words = others + calls};
      if (others > words_ / 2) {
        others = plan.thinning->share(words_, std::max(words, rewritten_words), calls);
        check_others(others);
      }
      if (plan.thinning->is_needed()) {
        fxt::CallLengths not_used(fxt::CallLengths::Interval{0, 0});
        pass(not_used, plan.thinning.get(), &fxt::tools::Thinning::begin_choice);
      } else {
        plan.thinning = nullptr;
      }
    }
    const auto fitting = lengths.fit(words_ - others - more_names, words_above, names);
    plan.shortest_ns = fitting.shortest_ns;
    plan.words = others + more_names + fitting.words;
    if (fitting.too_short.width_ns() <= 1) return plan;
    part = fitting.too_short;
    words_above = fitting.words;
  }
}

std::unique_ptr<Conversion> FitPlanner::pass(fxt::CallLengths& lengths, fxt::tools::Thinning* thinning,
                                             BeginPass begin) {
  auto conversion = std::make_unique<Conversion>(options_, offsets_ns_, kForever, &lengths, thinning);
  if (thinning != nullptr) (thinning->*begin)(conversion->options().cut->range);
  conversion->write();
  return conversion;
}

// Throws InputError if the events that can't be left out need more words than the trace may have.
void FitPlanner::check_others(std::int64_t others) const {
  if (others > words_)
    throw InputError(
        Location::file(options_.inputs.front()),
        fmt::format("events other than calls, counters, switches and instants take {} bytes, but --fit "
                    "allows {}; use a larger --fit, or omit data (-r, --tid, --no-event, --blobs none)",
                    others * std::int64_t{sizeof(std::uint64_t)},
                    words_ * std::int64_t{sizeof(std::uint64_t)}));
}

}  // namespace

std::unique_ptr<Conversion> fit(const ConvertOptions& options, Conversion::Offsets offsets_ns) {
  const std::uint64_t most_bytes = *options.fit_bytes;
  ConvertOptions trial = options;
  trial.output = "/dev/null";
  // An output that is not a file can't be written twice. Therefore, each plan is first tried with /dev/null.
  std::error_code ignored;
  const auto type = std::filesystem::status(options.output, ignored).type();
  const bool needs_trial = options.output == "-" || (type != std::filesystem::file_type::regular &&
                                                     type != std::filesystem::file_type::not_found);
  std::uint64_t target = most_bytes;
  for (;;) {
    const FitPlan plan = FitPlanner(options, offsets_ns, target).plan();
    std::unique_ptr<Conversion> conversion;
    const auto write = [&](const ConvertOptions& chosen) {
      fxt::tools::Thinning* const thinning = plan.thinning.get();
      conversion.reset();
      conversion = std::make_unique<Conversion>(chosen, offsets_ns, plan.shortest_ns, nullptr, thinning);
      if (thinning != nullptr) thinning->begin_last(conversion->options().cut->range);
      conversion->write(most_bytes);
    };
    try {
      if (needs_trial) write(trial);
      write(options);
      return conversion;
    } catch (const TraceTooLarge& trace) {
      target = fxt::next_target(target, plan.words, trace.bytes - most_bytes);
    }
  }
}

}  // namespace convert
