#include "converters/model/reading/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "converters/model/reading/input_error.h"

namespace convert {
namespace {

constexpr rlim_t kFilesNeededAnyway = 256;  // outputs, libraries, files that are open for a moment

int open_for_reading(const std::string& path) {
  // Not blocking: opening a FIFO instead of the file must not hang.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) throw InputError(Location::file(path), fmt::format("can't open: {}", std::strerror(errno)));
  return fd;
}

}  // namespace

InputFile::InputFile(std::string path, bool keep_open) : path_(std::move(path)) {
  const int fd = open_for_reading(path_);
  struct stat status {};
  const bool has_status = ::fstat(fd, &status) == 0;
  if (!has_status || !S_ISREG(status.st_mode)) {
    const std::string problem =
        has_status ? "not a regular file" : fmt::format("can't read: {}", std::strerror(errno));
    ::close(fd);
    throw InputError(Location::file(path_), problem);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (keep_open)
    fd_ = fd;
  else
    ::close(fd);
}

InputFile::~InputFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::span<const std::byte> InputFile::read_available(std::uint64_t offset,
                                                     std::span<std::byte> buffer) const {
  if (offset >= size_ || buffer.empty()) return {};
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
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
  return buffer.first(filled);
}

std::span<const std::byte> InputFile::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  const auto filled = read_available(offset, buffer);
  const std::uint64_t end = offset + filled.size();
  if (filled.size() < buffer.size() && end < size_)
    throw InputError(Location::byte(path_, end),
                     fmt::format("the file ends here, but had {} bytes when it was opened", size_));
  return filled;
}

std::uint64_t InputFile::end_of_hole(std::uint64_t offset) const {
  if (offset >= size_) return offset;
  const int fd = fd_ >= 0 ? fd_ : open_for_reading(path_);
  const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  const bool is_last = data < 0 && errno == ENXIO;
  if (fd_ < 0) ::close(fd);
  if (is_last) return size_;
  return data < 0 ? offset : std::min(static_cast<std::uint64_t>(data), size_);
}

std::size_t open_file_limit() {
  static const std::size_t limit = [] {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return std::size_t{0};
    const rlim_t soft = std::exchange(files.rlim_cur, files.rlim_max);
    const rlim_t reached = ::setrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_max : soft;
    return static_cast<std::size_t>(std::max(reached, kFilesNeededAnyway) - kFilesNeededAnyway);
  }();
  return limit;
}

FileWindow::FileWindow(std::string path, EarlyEnd early_end, bool keep_open, std::size_t block_bytes)
    : file_(std::move(path), keep_open),
      early_end_(early_end),
      block_bytes_(block_bytes),
      size_(file_.size()) {}

std::span<const std::byte> FileWindow::fetch(std::uint64_t offset, std::size_t wanted) {
  if (offset >= size_) return {};
  // The bytes that are in memory already move to the front; the others are read after them.
  std::size_t kept = 0;
  if (offset >= begin_ && offset - begin_ < filled_) {
    const auto from = static_cast<std::size_t>(offset - begin_);
    kept = filled_ - from;
    if (begin_ + filled_ == size_) return std::span<const std::byte>(buffer_).subspan(from, kept);
    std::memmove(buffer_.data(), buffer_.data() + from, kept);
  }
  begin_ = offset;
  filled_ = kept;
  const auto length =
      static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, block_bytes_), size_ - offset));
  if (kept < length) {
    if (buffer_.size() < length) buffer_.resize(length);
    const auto room = std::span(buffer_).subspan(kept, length - kept);
    const auto added = early_end_ == EarlyEnd::Error ? file_.read(offset + kept, room)
                                                     : file_.read_available(offset + kept, room);
    filled_ += added.size();
    if (filled_ < length) size_ = offset + filled_;
  }
  return std::span<const std::byte>(buffer_).first(filled_);
}

}  // namespace convert
