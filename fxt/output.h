// SPDX-License-Identifier: Apache-2.0
// The output of a Writer. It receives the words in blocks, so there is one virtual call per block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "fxt/output_file.h"

namespace FXT_API fxt {

// The smallest buffer that an Output may return. Every ordinary record fits into it.
inline constexpr std::size_t kMinBufferWords = 4096;

// Receives filled buffers and returns empty ones. It may return another buffer each time, so that a thread
// can write the full buffer meanwhile.
class Output {
 public:
  virtual ~Output() = default;
  // Consumes the first `filled_words` words of the buffer that the last call returned. These words are in the
  // byte order of the file. At the first call there is no such buffer, and the number is 0. Returns an empty
  // buffer of at least kMinBufferWords words, which the Writer uses until the next call. The Writer passes
  // exceptions on.
  virtual std::span<std::uint64_t> exchange(std::size_t filled_words) = 0;
  // True if a Writer must call exchange() after each record, and not only when the buffer is full. The
  // registrations of strings and threads come together with the record that needs them.
  virtual bool takes_each_record() const { return false; }
  // Called by Writer::finish(), after the last exchange().
  virtual void finish() {}
};

// Collects a trace in memory.
class MemoryOutput final : public Output {
 public:
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;

  // words() returns all words that were flushed, in the byte order of the file. bytes() returns their bytes.
  std::span<const std::uint64_t> words() const { return {words_.data(), filled_}; }
  std::string bytes() const;

 private:
  std::vector<std::uint64_t> words_;  // the Writer fills the part after filled_
  std::size_t filled_ = 0;
};

// Writes a file, which is complete after Writer::finish(). FileMode decides what happens to a file without
// finish(), for example after an exception. Throws std::system_error.
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

// Writes to a stream that was opened in binary mode and must outlive this object. Throws
// std::ios_base::failure if the stream fails.
class StreamOutput final : public Output {
 public:
  explicit StreamOutput(std::ostream& out, std::size_t buffer_words = std::size_t{1} << 15);
  std::span<std::uint64_t> exchange(std::size_t filled_words) override;

 private:
  std::ostream* out_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace fxt
