// The records of a trace as far as it can be read, and the message about its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fxt/reader.h"
#include "fxt/records.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/program.h"

namespace fxt::tools {

// A Reader's records up to the end of the file, or up to where reading fails; failure() then has the reason.
class EntrySource {
 public:
  // `threads` are koids that the user names; none: all are meant.
  EntrySource(Reader& reader, const std::vector<std::uint64_t>& threads)
      : reader_(&reader), threads_(threads), has_threads_(threads.empty()) {}
  const Entry* next() {
    try {
      const Entry* const entry = reader_->next();
      if (entry != nullptr && !has_threads_) has_threads_ = names_one(entry->record);
      return entry;
    } catch (const FileError& error) {
      failure_ = error.what();
      return nullptr;
    }
  }
  const Reader& reader() const { return *reader_; }
  const std::string& failure() const { return failure_; }  // empty if there was none
  // Whether one of the threads was there. A trace that has none of them is not the one that was meant.
  bool has_threads() const { return has_threads_; }
  const std::vector<std::uint64_t>& threads() const { return threads_; }

 private:
  bool names_one(const Record& record) const;

  Reader* reader_;
  std::vector<std::uint64_t> threads_;
  bool has_threads_;
  std::string failure_;
};

// Prints to standard error where `file` can't be read any further, or that it has none of the requested
// threads; returns Failed then.
ExitCode report_end(const EntrySource& source, const char* program, const std::string& file);

}  // namespace fxt::tools
