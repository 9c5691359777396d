#include "converters/model/reading/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "converters/model/reading/input_error.h"
#include "fxt/support/memory_limit.h"

namespace convert {
namespace {

// files for outputs and libraries, and files that are open only briefly
constexpr rlim_t kFilesNeededAnyway = 256;

fxt::FilePlace::Opened open_for_reading(const fxt::FilePlace& place) {
  auto opened = place.open();
  if (!opened.descriptor.is_open()) throw InputError(Location::file(place.text()), opened.status.problem);
  return opened;
}

}  // namespace

InputFile::InputFile(fxt::FilePlace place, bool keep_open) : place_(std::move(place)) {
  auto opened = open_for_reading(place_);
  size_ = opened.status.size_bytes;
  if (keep_open) descriptor_ = std::move(opened.descriptor);
}

template <typename Use>
auto InputFile::with_descriptor(Use use) const {
  if (descriptor_.is_open()) return use(descriptor_.number());
  const auto opened = open_for_reading(place_);
  return use(opened.descriptor.number());
}

std::span<const std::byte> InputFile::read_available(std::uint64_t offset,
                                                     std::span<std::byte> buffer) const {
  if (offset >= size_ || buffer.empty()) return {};
  fxt::check_memory();
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), size_ - offset));
  const std::size_t filled = with_descriptor([&](int descriptor) {
    std::size_t got_bytes = 0;
    while (got_bytes < wanted) {
      const ssize_t got = ::pread(descriptor, buffer.data() + got_bytes, wanted - got_bytes,
                                  static_cast<off_t>(offset + got_bytes));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        throw InputError(Location::byte(path(), offset + got_bytes),
                         fmt::format("can't read: {}", std::strerror(errno)));
      if (got == 0) break;
      got_bytes += static_cast<std::size_t>(got);
    }
    return got_bytes;
  });
  return buffer.first(filled);
}

std::span<const std::byte> InputFile::read(std::uint64_t offset, std::span<std::byte> buffer) const {
  const auto filled = read_available(offset, buffer);
  const std::uint64_t end = offset + filled.size();
  if (filled.size() < buffer.size() && end < size_)
    throw InputError(Location::byte(path(), end),
                     fmt::format("the file ends here, but had {} bytes when it was opened", size_));
  return filled;
}

std::uint64_t InputFile::end_of_hole(std::uint64_t offset) const {
  if (offset >= size_) return offset;
  return with_descriptor([&](int descriptor) {
    const off_t data = ::lseek(descriptor, static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0) return errno == ENXIO ? size_ : offset;
    return std::min(static_cast<std::uint64_t>(data), size_);
  });
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

FileWindow::FileWindow(fxt::FilePlace place, EarlyEnd early_end, bool keep_open, std::size_t block_bytes)
    : file_(std::move(place), keep_open),
      early_end_(early_end),
      block_bytes_(block_bytes),
      size_(file_.size()) {}

std::span<const std::byte> FileWindow::fetch(std::uint64_t offset, std::size_t wanted) {
  if (offset >= size_) return {};
  // The bytes that are already in memory are moved to the front. The missing bytes are read after them.
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
