// The records of a trace, as far as it can be read, and what there is to say about its end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/compressed_input.h"
#include "fxt/support/program.h"
#include "fxt/tools/program/asked_threads.h"

namespace fxt::tools {

// A Reader's records up to the end of the file, or to where it can't be read any further: failure() tells
// then.
class EntrySource {
 public:
  // `threads`: what the user asks for, see AskedThreads.
  EntrySource(Reader& reader, const std::vector<std::uint64_t>& threads)
      : reader_(&reader), asked_(threads) {}
  const Entry* next() {
    try {
      const Entry* const entry = reader_->next();
      if (entry != nullptr) asked_.see(entry->record);
      return entry;
    } catch (const FileError& error) {
      failure_ = error.what();
      return nullptr;
    }
  }
  const Reader& reader() const { return *reader_; }
  // Empty if there was none.
  const std::string& failure() const { return failure_; }
  const AskedThreads& asked() const { return asked_; }

 private:
  Reader* reader_;
  AskedThreads asked_;
  std::string failure_;
};

// Says on standard error where `file` can't be read any further, or that it has none of the threads: Failed
// then.
ExitCode tell_end(const EntrySource& source, const char* program, const std::string& file);

}  // namespace fxt::tools
