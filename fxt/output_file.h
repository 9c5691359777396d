// SPDX-License-Identifier: Apache-2.0
// A file that is being written. This library and its programs write all files with this class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "fxt/visibility.h"

namespace FXT_API fxt {

// Decides when a file gets its name, and what happens to a file that is never completed.
enum class FileMode : std::uint8_t {
  // This mode is for programs. The file is called NAME.part-PID until it is complete. An older file is kept
  // until then. A file that is not completed is removed, even if SIGINT, SIGTERM or SIGHUP ends the program.
  Replace,
  // Like Replace, but the written data are never deleted. An incomplete file gets its name, or remains as
  // NAME.part-PID if there is an older file.
  Keep,
  // The file has its name from the start, and an older file is emptied. The written part can be read at any
  // time, even if the program is killed.
  InPlace,
};

// Follows symbolic links, and keeps the permissions of an older file. Devices, FIFOs, sockets and standard
// output are written to directly. All functions throw std::system_error, whose text names the file.
class OutputFile {
 public:
  // "-" is standard output. Throws if the file can't be written, for example because it is a directory.
  explicit OutputFile(const std::string& path, FileMode mode = FileMode::Keep);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;

  void write(std::span<const std::byte> bytes);
  // Replaces bytes that have been written. Works only for regular files.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  // Starts again with an empty file. Works only for regular files.
  void restart();
  // Completes the file. With `sync`, the data are on the disk before the file gets its name, and the name is
  // on the disk when the function returns.
  void commit(bool sync = false);

  const std::string& name() const;  // the path as given, for messages
  std::uint64_t bytes_written() const;

 private:
  class FXT_INTERNAL State;
  std::unique_ptr<State> state_;
};

}  // namespace fxt
