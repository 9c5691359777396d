// The file's byte order, which is little-endian.
#include "fxt/word_buffer.h"

#include <stdexcept>

#include <boost/endian/conversion.hpp>

#include "fxt/words.h"

namespace fxt {

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
