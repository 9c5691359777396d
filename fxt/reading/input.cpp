// Files and streams as inputs, and the texts for the reasons why reading ended.
#include "fxt/input.h"

#include <cerrno>
#include <fcntl.h>
#include <istream>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fxt {

FileInput::FileInput(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), is_own_(true), name_(path) {
  if (file_ < 0) throw std::system_error(errno, std::generic_category(), name_);
}

FileInput::~FileInput() {
  if (is_own_) ::close(file_);
}

FileInput::FileInput(FileInput&& other) noexcept
    : file_(other.file_), is_own_(std::exchange(other.is_own_, false)), name_(std::move(other.name_)) {}

FileInput& FileInput::operator=(FileInput&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(is_own_, other.is_own_);
  std::swap(name_, other.name_);
  return *this;
}

std::size_t FileInput::read(std::span<std::byte> room) {
  ssize_t size = 0;
  do size = ::read(file_, room.data(), room.size());
  while (size < 0 && errno == EINTR);
  if (size < 0) throw std::system_error(errno, std::generic_category(), name_);
  return static_cast<std::size_t>(size);
}

std::size_t StreamInput::read(std::span<std::byte> room) {
  in_->read(reinterpret_cast<char*>(room.data()), static_cast<std::streamsize>(room.size()));
  if (in_->bad() || (in_->fail() && !in_->eof()))
    throw std::ios_base::failure("the stream could not be opened, or failed");
  return static_cast<std::size_t>(in_->gcount());
}

std::string describe(const ReadEnd& end) {
  switch (end.reason) {
    case ReadEnd::Reason::NotYet:
    case ReadEnd::Reason::EndOfFile:
      return "";
    case ReadEnd::Reason::Truncated:
      return "truncated: the last record lacks " + std::to_string(end.missing_bytes) + " bytes";
    case ReadEnd::Reason::SizeZero:
      return "record of size 0, so the next record can't be found";
    case ReadEnd::Reason::NoMagic:
      return "not an FXT trace: the first word is not the magic number record";
    case ReadEnd::Reason::Compressed:
      return "compressed with " + std::string(end.compression) + "; decompress it first";
    case ReadEnd::Reason::Failed:
      return "reading failed";
  }
  return "";
}

}  // namespace fxt
