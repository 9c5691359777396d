// The readable records of a trace, and the message about the end of reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "fxt/hash.h"
#include "fxt/ordered_reader.h"
#include "fxt/reader.h"
#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/memory_limit.h"
#include "fxt/support/program.h"
#include "fxt/support/similar_names.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// Returns the records of a Reader up to the end of the file, up to damage, or up to a failed read. After a
// failed read, failure() has the reason.
class EntrySource {
 public:
  enum class Sequence : std::uint8_t { AsWritten, ByTime };  // ByTime: in the order of OrderedReader

  // Opens the trace like open_trace(). If the trace has nothing of the selected threads, times, kinds or
  // names, report_end() reports an error.
  EntrySource(const std::string& path, const Selection& wanted, Sequence sequence);
  const Entry* next() {
    try {
      const Entry* const entry = ordered_ ? ordered_->next() : reader_->next();
      if (entry != nullptr) count(entry->record);
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
  // True if the file is in the order of time. Needs ByTime.
  bool is_in_order() const { return ordered_->is_in_order(); }
  // Opens the trace from its start, for a Reader in the order of the file. Needs ByTime.
  std::unique_ptr<Input> open_again() const { return ordered_->open(); }
  const std::string& path() const { return path_; }
  const Reader& reader() const { return ordered_ ? ordered_->reader() : *reader_; }
  const std::string& failure() const { return failure_; }  // empty without a failure
  // Must be called by programs that write a file. Throws FileError if the system failed to read the input, so
  // that no output is written. Does not throw for a damaged trace, because its good part is written.
  void check_system() const {
    if (system_failure_ != nullptr) std::rethrow_exception(system_failure_);
  }
  // True if the trace has records for each part of the selection: for at least one of the threads, for the
  // range, and for the kinds and names.
  bool has_wanted() const { return has_threads() && reaches_range_ && has_names_; }
  // The part of the selection that is missing, and what exists instead. Empty if nothing is missing. A
  // single missing thread is also reported.
  std::string unmet() const;

 private:
  void look_for_wanted(const Record& record);
  // Throws FileError if the trace exceeds a limit.
  void count(const Record& record) {
    constexpr std::uint64_t kRecordsPerCheck = 256;
    if (++records_ % kRecordsPerCheck == 0) check_memory();
    const auto* const event = std::get_if<Event>(&record);
    if (event == nullptr) return;
    count(event->category);
    count(event->name);
    for (const Argument& argument : event->arguments) {
      count(argument.name);
      if (const auto* const text = std::get_if<String>(&argument.value)) count(*text);
    }
  }
  void count(const String& text) {
    constexpr std::size_t kLong = 1024;
    if (text.text.size() > kLong && !long_texts_.take(text.text.size()))
      throw FileError(path_ + ": " + long_texts_.exceeded());
  }
  bool has_threads() const { return wanted_.threads.empty() || missing_threads_.size() < asked_threads_; }

  std::string path_;
  Budget long_texts_;
  std::uint64_t records_ = 0;
  std::unique_ptr<Input> input_;
  std::optional<Reader> reader_;  // unless ordered_ is used
  std::optional<OrderedReader> ordered_;
  Selection wanted_;
  TimeWindow window_;
  std::set<std::uint64_t> missing_threads_{wanted_.threads.begin(), wanted_.threads.end()};
  std::size_t asked_threads_ = missing_threads_.size();
  bool reaches_range_ = !wanted_.range;
  // true after a record whose effect may last until a later record, such as the start of a call
  bool has_lasting_records_ = false;
  Selection names_ = {.kinds = wanted_.kinds,
                      .names = wanted_.names,
                      .categories = wanted_.categories,
                      .excluded = wanted_.excluded};
  bool has_names_ = names_.empty();
  SimilarNames similar_{wanted_.names.empty() ? std::string() : wanted_.names.front()};
  SeededSet<std::string> other_names_;  // names of the records before the first record with a selected name
  std::set<std::uint64_t> threads_;     // threads of records, until all selected threads have been found
  std::uint64_t first_ns_ = std::numeric_limits<std::uint64_t>::max(), last_ns_ = 0;
  std::string failure_;
  std::exception_ptr system_failure_;  // null if the system did not fail
};

// Returns "no event is in the requested range; the trace is from 1.5 s to 2 s", for example.
std::string outside_text(std::uint64_t first_ns, std::uint64_t last_ns);

// Prints the reason why the trace can't be read further, or the missing part of the selection, to standard
// error. Returns Failed in both cases.
ExitCode report_end(const EntrySource& source, const char* program);

}  // namespace fxt::tools
