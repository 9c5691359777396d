// The ready-made outputs: memory, files and streams; and words on their way to them.
#include "fxt/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <ios>
#include <ostream>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <boost/endian/conversion.hpp>

#include "fxt/word_buffer.h"
#include "fxt/words.h"

namespace fxt {

std::span<std::uint64_t> MemoryOutput::exchange(std::size_t filled_words) {
  filled_ += filled_words;
  // Doubling keeps the total cost of copying linear.
  if (words_.size() - filled_ < kMinBufferWords)
    words_.resize(std::max(filled_ * 2, filled_ + kMinBufferWords));
  return std::span(words_).subspan(filled_);
}

std::string MemoryOutput::bytes() const {
  const auto raw = std::as_bytes(words());
  std::string bytes(raw.size(), '\0');
  std::ranges::transform(raw, bytes.begin(), [](std::byte byte) { return static_cast<char>(byte); });
  return bytes;
}

FileOutput::FileOutput(std::string path, std::size_t buffer_words)
    : path_(std::move(path)), buffer_(std::max(buffer_words, kMinBufferWords)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    beside_ = path_ + ".XXXXXX";
    file_ = ::mkostemp(beside_.data(), O_CLOEXEC);
  }
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), path_);
}

FileOutput::~FileOutput() {
  if (file_ < 0) return;
  ::close(file_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

std::span<std::uint64_t> FileOutput::exchange(std::size_t filled_words) {
  auto bytes = std::as_bytes(std::span(buffer_).first(filled_words));
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return buffer_;
}

void FileOutput::finish() {
  if (file_ < 0) return;
  if (beside_.empty()) {
    if (::close(std::exchange(file_, -1)) != 0)
      throw std::system_error(errno, std::generic_category(), path_);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  // The permissions that a new file would have.
  bool good = ::fchmod(file_, 0666 & ~mask) == 0;
  good = ::close(std::exchange(file_, -1)) == 0 && good;
  if (good && std::rename(beside_.c_str(), path_.c_str()) == 0) return;
  const int error = errno;
  ::unlink(beside_.c_str());
  throw std::system_error(error, std::generic_category(), path_);
}

StreamOutput::StreamOutput(std::ostream& out, std::size_t buffer_words)
    : out_(&out), buffer_(std::max(buffer_words, kMinBufferWords)) {}

std::span<std::uint64_t> StreamOutput::exchange(std::size_t filled_words) {
  const auto bytes = std::as_bytes(std::span(buffer_).first(filled_words));
  out_->write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!*out_) throw std::ios_base::failure("writing the trace failed");
  return buffer_;
}

// The file's byte order, which is little-endian.
void WordBuffer::next_buffer(std::size_t words) {
  if (words > kMinBufferWords)
    throw std::logic_error("reserve(): " + std::to_string(words) +
                           " words are more than a buffer is sure to hold");
  flush();
}

void WordBuffer::flush() {
  const auto filled = static_cast<std::size_t>(cursor_ - buffer_.data());
  for (std::uint64_t& word : buffer_.first(filled)) boost::endian::native_to_little_inplace(word);
  exchanged_words_ += filled;
  cursor_ = buffer_.data();  // if the Output throws, nothing is sent twice
  buffer_ = output_->exchange(filled);
  cursor_ = buffer_.data();
  limit_ = cursor_ + buffer_.size();
}

void reorder_stream(std::uint64_t* begin, const std::uint64_t* end) {
  for (; begin != end; ++begin) boost::endian::little_to_native_inplace(*begin);
}

}  // namespace fxt
