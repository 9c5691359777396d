#include "converters/tfile/frames/file_window.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "converters/model/reading/input_error.h"

namespace convert::tfile {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view what) {
  throw InputError(Location::file(path), std::string(what) + ": " + std::generic_category().message(errno));
}

}  // namespace

FileWindow::FileWindow(const std::filesystem::path& path) : path_(path.string()) {
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) fail(path_, "cannot be opened");
  struct stat status {};
  const bool known = ::fstat(file_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(file_);
    throw InputError(Location::file(path_), "is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileWindow::~FileWindow() { ::close(file_); }

std::span<const std::byte> FileWindow::fetch(std::uint64_t offset, std::size_t wanted) {
  if (offset >= size_) return {};
  const std::uint64_t left = size_ - offset;
  const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, kBlockBytes), left));
  // What is already here moves to the front; the rest is read behind it.
  std::size_t kept = 0;
  if (offset >= begin_ && offset - begin_ < filled_) {
    const auto from = static_cast<std::size_t>(offset - begin_);
    kept = std::min(filled_ - from, length);
    std::memmove(buffer_.data(), buffer_.data() + from, kept);
  }
  if (buffer_.size() < length) buffer_.resize(length);
  begin_ = offset;
  filled_ = kept;
  while (filled_ < length) {
    const ssize_t got =
        ::pread(file_, buffer_.data() + filled_, length - filled_, static_cast<off_t>(offset + filled_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, "cannot be read");
    if (got == 0) {  // shorter than it was
      size_ = offset + filled_;
      break;
    }
    filled_ += static_cast<std::size_t>(got);
  }
  return std::span<const std::byte>(buffer_).first(filled_);
}

}  // namespace convert::tfile
