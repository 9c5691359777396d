// Framing: sizes, byte order, buffering.
#include "fxt/reading/record_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <boost/endian/conversion.hpp>

namespace fxt {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

std::uint64_t size_in_words(std::uint64_t header) {
  return RecordHeader::Type::get(header) == code(RecordType::Large) ? LargeRecordHeader::Size::get(header)
                                                                    : RecordHeader::Size::get(header);
}

bool is_aligned(const std::byte* bytes) {
  return reinterpret_cast<std::uintptr_t>(bytes) % alignof(std::uint64_t) == 0;
}

}  // namespace

RecordStream::RecordStream(std::span<const std::byte> memory, const ReaderOptions& options)
    : options_(options), data_(memory) {}

RecordStream::RecordStream(Input& input, const ReaderOptions& options) : options_(options), input_(&input) {}

// Spec: "Magic number record": its byte order is that of all words of the file.
void RecordStream::begin() {
  begun_ = true;
  swap_ = std::endian::native == std::endian::big;
  if (!available(kWord)) return;
  if (word_at(position_) == boost::endian::endian_reverse(kMagicRecord)) swap_ = !swap_;
  in_place_ = !swap_ && is_aligned(data_.data());
}

bool RecordStream::next_with_care(RecordWords& record) {
  if (ended_) return false;
  if (!begun_) {
    begin();
    if (options_.require_magic && (!available(kWord) || word_at(position_) != kMagicRecord))
      return stop(ReadEnd::Reason::NoMagic);
  }
  std::uint64_t header = 0;
  do {
    if (!available(kWord)) {
      const std::size_t rest = data_.size() - position_;
      end_.missing_bytes = rest == 0 ? 0 : kWord - rest;
      return stop(rest == 0 ? ReadEnd::Reason::EndOfFile : ReadEnd::Reason::Truncated);
    }
    header = word_at(position_);
    if (header != 0 || !options_.skip_zero_words) break;
    position_ += kWord;
  } while (true);

  const std::uint64_t size_words = size_in_words(header);
  if (size_words == 0) return stop(ReadEnd::Reason::SizeZero);
  if (size_words > options_.max_record_bytes / kWord && size_words > kMaxRecordWords)
    return skip(record, header, size_words);
  const auto size_bytes = static_cast<std::size_t>(size_words) * kWord;
  if (!available(size_bytes)) {
    end_.missing_bytes = size_bytes - (data_.size() - position_);
    return stop(ReadEnd::Reason::Truncated);
  }

  const std::byte* bytes = data_.data() + position_;
  record = {.offset = offset_ + position_, .words = {}, .bytes = bytes, .too_large_words = 0};
  if (in_place_) {
    record.words = {reinterpret_cast<const std::uint64_t*>(bytes), static_cast<std::size_t>(size_words)};
  } else {
    numbers_.resize(static_cast<std::size_t>(size_words));
    std::memcpy(numbers_.data(), bytes, size_bytes);
    if (swap_)
      for (std::uint64_t& number : numbers_) boost::endian::endian_reverse_inplace(number);
    record.words = numbers_;
  }
  position_ += size_bytes;
  return true;
}

// Skips a record that is larger than the limit.
bool RecordStream::skip(RecordWords& record, std::uint64_t header, std::uint64_t size_words) {
  const std::uint64_t start = offset_ + position_;
  std::uint64_t left = size_words * kWord;
  while (left > 0) {
    if (position_ == data_.size() && !available(1)) {
      end_.missing_bytes = left;
      stop(ReadEnd::Reason::Truncated);
      end_.offset = start;
      return false;
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, data_.size() - position_));
    position_ += piece;
    left -= piece;
  }
  skipped_header_ = header;
  record = {.offset = start,
            .words = {&skipped_header_, 1},
            .bytes = reinterpret_cast<const std::byte*>(&skipped_header_),
            .too_large_words = size_words};
  return true;
}

// Reads on until `bytes` bytes lie after position_. What lies before it is dropped; the buffer grows only as
// far as bytes really come.
bool RecordStream::fetch(std::size_t bytes) {
  if (input_ == nullptr) return false;
  const std::size_t kept = data_.size() - position_;
  if (position_ != 0 && kept != 0) std::memmove(buffer_.get(), data_.data() + position_, kept);
  offset_ += position_;
  position_ = 0;
  std::size_t filled = kept;
  try {
    while (filled < bytes) {
      if (buffer_words_ * kWord - filled < kBlockBytes / 2) grow_buffer(filled);
      const std::size_t got =
          input_->read(std::as_writable_bytes(std::span(buffer_.get(), buffer_words_)).subspan(filled));
      filled += got;
      if (got == 0) break;
    }
  } catch (...) {
    data_ = {};
    stop(ReadEnd::Reason::Failed);
    throw;
  }
  data_ = std::as_bytes(std::span(buffer_.get(), buffer_words_)).first(filled);
  return filled >= bytes;
}

void RecordStream::grow_buffer(std::size_t filled_bytes) {
  const std::size_t words = std::max(buffer_words_ * 2, 2 * kBlockBytes / kWord);
  auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(words);
  if (filled_bytes != 0) std::memcpy(larger.get(), buffer_.get(), filled_bytes);
  buffer_ = std::move(larger);
  buffer_words_ = words;
}

std::uint64_t RecordStream::word_at(std::size_t position) const {
  std::uint64_t word = 0;
  std::memcpy(&word, data_.data() + position, kWord);
  return swap_ ? boost::endian::endian_reverse(word) : word;
}

bool RecordStream::stop(ReadEnd::Reason reason) {
  ended_ = true;
  in_place_ = false;
  end_.reason = reason;
  end_.offset = offset_ + position_;
  return false;
}

}  // namespace fxt
