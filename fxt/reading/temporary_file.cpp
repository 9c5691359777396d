#include "fxt/reading/temporary_file.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <unistd.h>

namespace fxt {
namespace {

std::string folder() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

[[noreturn]] void fail_at_file(int error) {
  throw std::system_error(error, std::generic_category(),
                          folder() + ": can't use a temporary file (set TMPDIR to use another folder)");
}

}  // namespace

TemporaryFile::~TemporaryFile() {
  if (file_ >= 0) ::close(file_);
}

void TemporaryFile::make() {
  std::string path = folder() + "/fxt.XXXXXX";
  file_ = ::mkstemp(path.data());
  if (file_ < 0) fail_at_file(errno);
  ::unlink(path.c_str());
}

void TemporaryFile::append(std::span<const std::byte> bytes) {
  if (file_ < 0) make();
  while (!bytes.empty()) {
    const ssize_t size = ::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail_at_file(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    size_ += static_cast<std::uint64_t>(size);
  }
}

void TemporaryFile::read(std::uint64_t offset, std::span<std::byte> room) const {
  while (!room.empty()) {
    const ssize_t size = ::pread(file_, room.data(), room.size(), static_cast<off_t>(offset));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) fail_at_file(size < 0 ? errno : EIO);
    room = room.subspan(static_cast<std::size_t>(size));
    offset += static_cast<std::uint64_t>(size);
  }
}

}  // namespace fxt
