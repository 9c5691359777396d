#include "converters/uftrace/records/file_window.h"

#include <algorithm>
#include <utility>

namespace convert::uftrace {

FileWindow::FileWindow(std::string path, bool keep_open, std::size_t block_bytes)
    : file_(std::move(path), keep_open), block_bytes_(block_bytes) {}

std::span<const std::byte> FileWindow::at_least(std::size_t bytes) {
  const std::size_t have = end_ - begin_;
  const std::uint64_t behind = file_.size() - offset_ - have;
  if (have < bytes && behind != 0) {
    const auto more =
        static_cast<std::size_t>(std::min<std::uint64_t>(behind, std::max(bytes - have, block_bytes_)));
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    begin_ = 0;
    end_ = have;
    if (buffer_.size() < have + more) buffer_.resize(have + more);
    file_.read(offset_ + have, std::span(buffer_).subspan(have, more));
    end_ += more;
  }
  return std::span(buffer_).subspan(begin_, end_ - begin_);
}

void FileWindow::give_up() {
  begin_ = end_ = 0;
  offset_ = file_.size();
}

}  // namespace convert::uftrace
