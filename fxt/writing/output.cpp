// The outputs of the library: memory, files and streams. Also the buffer that fills an Output.
#include "fxt/output.h"

#include <algorithm>
#include <ios>
#include <ostream>
#include <stdexcept>

#include <boost/endian/conversion.hpp>

#include "fxt/word_buffer.h"
#include "fxt/words.h"

namespace fxt {

std::span<std::uint64_t> MemoryOutput::exchange(std::size_t filled_words) {
  filled_ += filled_words;
  // Doubling the size keeps the total cost of copying linear.
  if (words_.size() - filled_ < kMinBufferWords)
    words_.resize(std::max(filled_ * 2, filled_ + kMinBufferWords));
  return std::span(words_).subspan(filled_);
}

std::string MemoryOutput::bytes() const {
  const auto raw = std::as_bytes(words());
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

FileOutput::FileOutput(const std::string& path, FileMode mode, std::size_t buffer_words)
    : file_(path, mode), buffer_(std::max(buffer_words, kMinBufferWords)) {}

std::span<std::uint64_t> FileOutput::exchange(std::size_t filled_words) {
  file_.write(std::as_bytes(std::span(buffer_).first(filled_words)));
  return buffer_;
}

StreamOutput::StreamOutput(std::ostream& out, std::size_t buffer_words)
    : out_(&out), buffer_(std::max(buffer_words, kMinBufferWords)) {}

std::span<std::uint64_t> StreamOutput::exchange(std::size_t filled_words) {
  const auto bytes = std::as_bytes(std::span(buffer_).first(filled_words));
  out_->write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!*out_) throw std::ios_base::failure("writing the trace failed");
  return buffer_;
}

void WordBuffer::next_buffer(std::size_t words) {
  if (is_finished_) throw std::logic_error("the trace is complete: nothing can be written after finish()");
  if (words > kMinBufferWords)
    throw std::logic_error("reserve(): " + std::to_string(words) +
                           " words are more than the minimum size of a buffer");
  flush();
  if (buffer_.size() < words)
    throw std::logic_error("exchange() returned a buffer of " + std::to_string(buffer_.size()) +
                           " words, but an Output must return at least " + std::to_string(kMinBufferWords));
}

// Converts the words to the byte order of the file, which is little-endian, and sends them.
void WordBuffer::flush() {
  if (is_finished_) return;
  const auto filled = static_cast<std::size_t>(cursor_ - buffer_.data());
  for (std::uint64_t& word : buffer_.first(filled)) boost::endian::native_to_little_inplace(word);
  cursor_ = buffer_.data();  // prevents that words are sent twice if the Output throws
  buffer_ = output_->exchange(filled);
  exchanged_words_ += filled;
  cursor_ = buffer_.data();
  limit_ = cursor_ + buffer_.size();
}

void WordBuffer::finish() {
  if (is_finished_) return;
  output_->finish();
  is_finished_ = true;
  buffer_ = {};
  cursor_ = limit_ = nullptr;  // makes the next write call next_buffer()
}

void reorder_stream(std::uint64_t* begin, const std::uint64_t* end) {
  for (; begin != end; ++begin) boost::endian::little_to_native_inplace(*begin);
}

}  // namespace fxt
