// A trace as a file: written as its name says, and what it may take the place of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/output.h"
#include "fxt/support/atomic_file.h"
#include "fxt/support/compressed_output.h"
#include "fxt/support/options.h"

namespace fxt::tools {

// By its first word, decompressed. False if the file can't be read.
bool is_fxt(const std::string& path);

// Asking for it is wrong usage.
class NotReplaceable : public UsageError {
  using UsageError::UsageError;
};

// What a program writes, and may replace.
struct FileKind {
  bool (*is_one)(const std::string& path) = is_fxt;
  std::string_view name = "FXT trace";
};

// A file may take the place of nothing, of an empty file, or of one of its kind, plain or compressed, and
// unless `replaces_anything` of nothing else; never of one of the inputs. Devices and the like are written
// to, not replaced. Throws NotReplaceable.
void check_replaceable(const std::string& path, const std::vector<std::string>& inputs,
                       bool replaces_anything, const FileKind& kind = {});

// Written by a Writer, compressed if its name says so; has its name when the Writer has finished.
class TraceFile final : public Output {
 public:
  // As AtomicFile; so many threads compress. Throws OutputError, as all of them do.
  TraceFile(const std::string& path, unsigned jobs);
  // Bytes of a trace that is complete already, instead of exchange().
  void write(std::span<const std::byte> bytes) { stream_->write(bytes); }
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  void finish() override;

  bool is_finished() const { return is_finished_; }
  std::uint64_t bytes_written() const { return file_.bytes_written(); }

 private:
  AtomicFile file_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<std::uint64_t> buffer_;
  bool is_finished_ = false;
};

}  // namespace fxt::tools
