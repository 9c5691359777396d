#include "converters/uftrace/records/record_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "converters/model/reading/input_error.h"

namespace convert::uftrace {
namespace {

int open_for_reading(const std::string& path) {
  // Not blocking: a FIFO in place of the file must not hang us.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) throw InputError(Location::file(path), fmt::format("can't open: {}", std::strerror(errno)));
  return fd;
}

}  // namespace

RecordFile::RecordFile(std::string path, bool keep_open) : path_(std::move(path)) {
  const int fd = open_for_reading(path_);
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(fd);
    throw InputError(Location::file(path_), "not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (keep_open)
    fd_ = fd;
  else
    ::close(fd);
}

RecordFile::~RecordFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::span<const std::byte> RecordFile::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
  if (wanted == 0) return {};
  const int fd = fd_ >= 0 ? fd_ : open_for_reading(path_);
  std::size_t filled = 0;
  int error = 0;
  while (filled < wanted) {
    const ssize_t got =
        ::pread(fd, buffer.data() + filled, wanted - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    filled += static_cast<std::size_t>(got);
  }
  if (fd_ < 0) ::close(fd);
  if (error != 0)
    throw InputError(Location::byte(path_, offset + filled),
                     fmt::format("can't read: {}", std::strerror(error)));
  if (filled < wanted)
    throw InputError(Location::byte(path_, offset + filled),
                     fmt::format("the file ends here, but had {} bytes when it was opened", size_));
  return buffer.first(filled);
}

}  // namespace convert::uftrace
