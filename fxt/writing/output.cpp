// The ready-made outputs: memory and streams.
#include "fxt/output.h"

#include <algorithm>
#include <ios>
#include <ostream>

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

StreamOutput::StreamOutput(std::ostream& out, std::size_t buffer_words)
    : out_(&out), buffer_(std::max(buffer_words, kMinBufferWords)) {}

std::span<std::uint64_t> StreamOutput::exchange(std::size_t filled_words) {
  const auto bytes = std::as_bytes(std::span(buffer_).first(filled_words));
  out_->write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!*out_) throw std::ios_base::failure("writing the trace failed");
  return buffer_;
}

}  // namespace fxt
