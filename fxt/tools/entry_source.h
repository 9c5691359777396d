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

// Threads that the user names. A trace that has none of them is not the one that was meant.
class RequestedThreads {
 public:
  // No koid: all threads are meant.
  explicit RequestedThreads(const std::vector<std::uint64_t>& koids)
      : koids_(koids), any_found_(koids.empty()) {}

  // To be called with each record.
  void see(const Record& record) {
    if (!any_found_) search(record);
  }
  bool any_found() const { return any_found_; }
  const std::vector<std::uint64_t>& koids() const { return koids_; }

 private:
  void search(const Record& record);

  std::vector<std::uint64_t> koids_;
  bool any_found_;
};

// A Reader's records up to the end of the file, or up to where reading fails; failure() then has the reason.
class EntrySource {
 public:
  EntrySource(Reader& reader, const std::vector<std::uint64_t>& threads)
      : reader_(&reader), threads_(threads) {}
  const Entry* next() {
    try {
      const Entry* const entry = reader_->next();
      if (entry != nullptr) threads_.see(entry->record);
      return entry;
    } catch (const FileError& error) {
      failure_ = error.what();
      return nullptr;
    }
  }
  const Reader& reader() const { return *reader_; }
  const std::string& failure() const { return failure_; }  // empty if there was none
  const RequestedThreads& requested_threads() const { return threads_; }

 private:
  Reader* reader_;
  RequestedThreads threads_;
  std::string failure_;
};

// Prints to standard error where `file` can't be read any further, or that it has none of the requested
// threads; returns Failed then.
ExitCode report_end(const EntrySource& source, const char* program, const std::string& file);

}  // namespace fxt::tools
