// SPDX-License-Identifier: Apache-2.0
// Where a Writer's words go: in blocks, so that the cost of a virtual call is paid once per block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "fxt/output_file.h"

namespace FXT_API fxt {

// The smallest buffer that an Output may hand out: every ordinary record fits into one.
inline constexpr std::size_t kMinBufferWords = 4096;

// Exchanges filled buffers for empty ones. An implementation may return another buffer each time, so that
// another thread can write the full one meanwhile.
class Output {
 public:
  virtual ~Output() = default;
  // Consumes the first `filled_words` words (already in the file's byte order) of the buffer that the last
  // call returned; at the first call there is none, and the number is 0. Returns an empty buffer of at least
  // kMinBufferWords, which the Writer uses until the next call. May throw; the Writer passes that on.
  virtual std::span<std::uint64_t> exchange(std::size_t filled_words) = 0;
  // True if a Writer is to call exchange() after each record, and not only when the buffer is full. Each
  // record comes together with the registrations of its strings and threads.
  virtual bool takes_each_record() const { return false; }
  // Nothing follows: Writer::finish() has sent its last words.
  virtual void finish() {}
};

// Collects a trace in memory.
class MemoryOutput final : public Output {
 public:
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;

  // Everything that was flushed, as the file's words (little-endian) and as its bytes.
  std::span<const std::uint64_t> words() const { return {words_.data(), filled_}; }
  std::string bytes() const;

 private:
  std::vector<std::uint64_t> words_;  // the part after filled_ is the writer's
  std::size_t filled_ = 0;
};

// Writes a file, which is complete with Writer::finish(). Without finish(), because of an exception perhaps,
// what was sent can be read: see FileMode. Throws std::system_error.
class FileOutput final : public Output {
 public:
  explicit FileOutput(const std::string& path, FileMode mode = FileMode::Keep,
                      std::size_t buffer_words = std::size_t{1} << 15);
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;
  void finish() override { file_.commit(); }

 private:
  OutputFile file_;
  std::vector<std::uint64_t> buffer_;
};

// Writes to a stream opened in binary mode, which it borrows. Throws std::ios_base::failure when the stream
// fails.
class StreamOutput final : public Output {
 public:
  explicit StreamOutput(std::ostream& out, std::size_t buffer_words = std::size_t{1} << 15);
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;

 private:
  std::ostream* out_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace fxt
