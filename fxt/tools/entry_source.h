// The records of a trace as far as it can be read, and the message about its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "fxt/ordered_reader.h"
#include "fxt/reader.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/program.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// A Reader's records up to the end of the file, or up to where it is damaged or reading fails; failure() then
// has the reason.
class EntrySource {
 public:
  enum class Sequence : std::uint8_t { AsWritten, ByTime };  // ByTime: as OrderedReader has it

  // As open_trace(). A trace that has nothing of the threads, the time, or the kinds and names, is not the
  // one that was meant.
  EntrySource(const std::string& path, const Selection& wanted, Sequence sequence);
  const Entry* next() {
    try {
      const Entry* const entry = ordered_ ? ordered_->next() : reader_->next();
      if (entry != nullptr && (!missing_threads_.empty() || !reaches_range_ || !has_names_))
        look_for_wanted(entry->record);
      return entry;
    } catch (const DamagedFile& error) {
      failure_ = error.what();
    } catch (const FileError& error) {
      failure_ = error.what();
      system_failure_ = std::current_exception();
    }
    return nullptr;
  }
  // Of a source ByTime: whether that is the order of the file.
  bool is_in_order() const { return ordered_->is_in_order(); }
  // Of a source ByTime: the trace from its start, for a Reader in the order of the file.
  std::unique_ptr<Input> open_again() const { return ordered_->open(); }
  const std::string& path() const { return path_; }
  const Reader& reader() const { return ordered_ ? ordered_->reader() : *reader_; }
  const std::string& failure() const { return failure_; }  // empty if there was none
  // For programs that write a file: the good part of a damaged trace is worth it, but not what the system
  // could read before it failed. Throws FileError then.
  void check_system() const {
    if (system_failure_ != nullptr) std::rethrow_exception(system_failure_);
  }
  // Whether there is something of each part of the selection.
  bool has_wanted() const { return has_threads() && reaches_range_ && has_names_; }
  // What of it is not there, and what there is instead; empty if all is there, each thread included.
  std::string unmet() const;

 private:
  void look_for_wanted(const Record& record);
  bool has_threads() const { return wanted_.threads.empty() || missing_threads_.size() < asked_threads_; }

  std::string path_;
  std::unique_ptr<Input> input_;
  std::optional<Reader> reader_;  // one of the two
  std::optional<OrderedReader> ordered_;
  Selection wanted_;
  TimeWindow window_;
  std::set<std::uint64_t> missing_threads_{wanted_.threads.begin(), wanted_.threads.end()};
  std::size_t asked_threads_ = missing_threads_.size();
  bool reaches_range_ = !wanted_.range;
  Selection names_ = {.kinds = wanted_.kinds, .names = wanted_.names, .categories = wanted_.categories};
  bool has_names_ = names_.empty();
  std::set<std::uint64_t> threads_;  // that there are, until all of the wanted are found
  std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max(), last_ns_ = 0;
  std::string failure_;
  std::exception_ptr system_failure_;  // null if there was none
};

// "nothing is in that range of time: the trace is from 1.5 s to 2 s".
std::string outside_text(std::uint64_t first_ns, std::uint64_t last_ns);

// Prints to standard error where the trace can't be read any further, or that it has nothing of what is
// wanted; returns Failed then.
ExitCode report_end(const EntrySource& source, const char* program);

}  // namespace fxt::tools
