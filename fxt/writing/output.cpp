// The ready-made outputs: memory, files and streams; and words on their way to them.
#include "fxt/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
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

namespace {

[[noreturn]] void fail(int error, const std::string& path) {
  throw std::system_error(error, std::generic_category(), path);
}

// Where a name leads to in the end; the name itself if there is no link.
std::string without_links(std::string path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links)
    path = std::filesystem::path(path).parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

// The permissions that a new file would have.
mode_t new_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

FileOutput::FileOutput(std::string path, std::size_t buffer_words)
    : path_(without_links(std::move(path))), buffer_(std::max(buffer_words, kMinBufferWords)) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR, path_);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(errno, path_);
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  } else {
    beside_ = path_ + ".XXXXXX";
    file_ = ::mkostemp(beside_.data(), O_CLOEXEC);
    if (file_ >= 0) ::fchmod(file_, exists ? status.st_mode & 07777 : new_mode());
  }
  if (file_ < 0) fail(errno, path_);
}

// A trace that was not finished, perhaps because of an exception, can be read as far as it was sent. It never
// takes the place of another file.
FileOutput::~FileOutput() {
  if (file_ < 0) return;
  const bool is_empty = ::lseek(file_, 0, SEEK_END) <= 0;
  ::close(file_);
  if (beside_.empty()) return;
  if (is_empty || ::link(beside_.c_str(), path_.c_str()) == 0) ::unlink(beside_.c_str());
}

std::span<std::uint64_t> FileOutput::exchange(std::size_t filled_words) {
  auto bytes = std::as_bytes(std::span(buffer_).first(filled_words));
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno, path_);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return buffer_;
}

void FileOutput::finish() {
  if (file_ < 0) return;
  bool good = ::close(std::exchange(file_, -1)) == 0;
  if (!beside_.empty()) good = good && std::rename(beside_.c_str(), path_.c_str()) == 0;
  if (good) return;
  const int error = errno;
  if (!beside_.empty()) ::unlink(beside_.c_str());
  fail(error, path_);
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
