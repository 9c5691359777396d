// SPDX-License-Identifier: Apache-2.0
// A file that is being written: the one way in which this library and its programs write files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// When a file has its name, and what becomes of one that is never completed.
enum class FileMode : std::uint8_t {
  // It is NAME.part-PID until it is complete; an older file stays unharmed until then. A file that is not
  // completed is removed, also when SIGINT, SIGTERM or SIGHUP ends the program. For programs.
  Replace,
  // As Replace, but what was written is never deleted: it becomes the file, or stays beside an older one as
  // NAME.part-PID.
  Keep,
  // It has its name from the beginning, where an older file is emptied, and can be read as far as it is
  // written, also when the program is killed.
  InPlace,
};

// Follows symbolic links, and keeps the permissions of an older file. Devices, FIFOs, sockets and standard
// output are written to directly. All functions throw std::system_error, whose text names the file.
class OutputFile {
 public:
  // "-" is standard output. Throws for what can't be written: a directory, one without permission, …
  explicit OutputFile(const std::string& path, FileMode mode = FileMode::Keep);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  void write(std::span<const std::byte> bytes);
  // Replaces bytes that have been written. Only where the file is a regular one.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  // Begins again with an empty file. The same.
  void restart();
  // The file is complete. With `sync`, it is on the disk before it gets its name, and its name after it.
  void commit(bool sync = false);

  const std::string& name() const;  // as given, for messages
  std::uint64_t bytes_written() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
