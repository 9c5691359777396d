// The file that is being written. It appears under its name only when it is complete: until then it has no
// name at all (or a temporary one, where the file system can't do that). Devices, FIFOs, sockets and standard
// output are written straight to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace fxt {

// The output can't be written (disk full, no permission, …). what() names the output and the reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class AtomicFile {
 public:
  // "-" is standard output. Throws OutputError when the target can't be written: a directory, no permission,
  // …
  explicit AtomicFile(const std::string& target);
  // Without commit(), nothing is left and an older file of that name is unharmed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Throws OutputError (disk full, …).
  void write(std::span<const std::byte> bytes);
  // Gives the complete file its name, replacing an older one. With `sync`, it is on the disk before that, and
  // its name after it. Throws OutputError.
  void commit(bool sync = false);

  const std::string& name() const { return name_; }  // as the user gave it, for messages
  std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  void open_straight();
  void open_unnamed();
  void allocate(std::uint64_t bytes);
  void sync_folder() const;
  [[noreturn]] void fail(std::string_view what) const;  // with errno's text

  std::string name_;
  std::string target_;     // symbolic links resolved
  std::string temporary_;  // its temporary name; empty while it has none
  int fd_ = -1;
  bool is_straight_ = false;
  std::uint64_t bytes_written_ = 0;
  bool allocates_ahead_ = false;
  std::uint64_t allocated_bytes_ = 0;  // ahead of what is written; 0: none
};

}  // namespace fxt
