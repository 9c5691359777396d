// Splits a file into records: sizes, byte order, buffering.
#include "fxt/reading/record_stream.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

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

// Returns the compression of files that begin with the bytes of `word`; "" for other files.
std::string_view compression_of(std::string_view word) {
  if (word.starts_with("\x1f\x8b\x08")) return "gzip";
  if (word.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (word.starts_with("\xfd\x37\x7a\x58\x5a")) return "xz";
  if (word.starts_with("BZh") && word.ends_with("1AY&")) return "bzip2";
  return "";
}

}  // namespace

// Reads until `bytes` bytes are available after position_. Drops the bytes before position_. The buffer grows
// only when bytes have arrived, because a damaged record may request very many bytes.
bool InputWindow::read_on(std::size_t bytes) {
  if (input_ == nullptr) return false;
  std::size_t filled = size();
  if (position_ != 0 && filled != 0) std::memmove(buffer_.get(), this->bytes(), filled);
  offset_ += position_;
  position_ = 0;
  data_ = {};
  while (filled < bytes) {
    if (buffer_words_ * kWord - filled < kBlockBytes / 2) grow_buffer(filled);
    const std::size_t got =
        input_->read(std::as_writable_bytes(std::span(buffer_.get(), buffer_words_)).subspan(filled));
    filled += got;
    if (got == 0) break;
  }
  data_ = std::as_bytes(std::span(buffer_.get(), buffer_words_)).first(filled);
  return filled >= bytes;
}

void InputWindow::grow_buffer(std::size_t filled_bytes) {
  const std::size_t words = std::max(buffer_words_ * 2, 2 * kBlockBytes / kWord);
  auto larger = std::make_unique_for_overwrite<std::uint64_t[]>(words);
  if (filled_bytes != 0) std::memcpy(larger.get(), buffer_.get(), filled_bytes);
  buffer_ = std::move(larger);
  buffer_words_ = words;
}

RecordStream::RecordStream(std::span<const std::byte> memory, const ReaderOptions& options)
    : options_(options), window_(memory) {}

RecordStream::RecordStream(Input& input, const ReaderOptions& options) : options_(options), window_(input) {}

// Spec: "Magic number record". All words in the file have the byte order of this record.
void RecordStream::begin() {
  begun_ = true;
  swap_ = std::endian::native == std::endian::big;
  if (!available(kWord)) return;
  if (next_word() == boost::endian::endian_reverse(kMagicRecord)) swap_ = !swap_;
  has_magic_ = next_word() == kMagicRecord;
  in_place_ = !swap_ && is_aligned(window_.bytes());
  end_.compression = compression_of({reinterpret_cast<const char*>(window_.bytes()), kWord});
  if (!end_.compression.empty()) stop(ReadEnd::Reason::Compressed);
}

bool RecordStream::next_with_care(RecordWords& record) {
  if (ended_) return false;
  if (!begun_) {
    begin();
    if (ended_) return false;
    if (options_.require_magic && !has_magic_) return stop(ReadEnd::Reason::NoMagic);
  }
  std::uint64_t header = 0;
  do {
    if (!available(kWord)) {
      const std::size_t rest = window_.size();
      end_.missing_bytes = rest == 0 ? 0 : kWord - rest;
      return stop(rest == 0 ? ReadEnd::Reason::EndOfFile : ReadEnd::Reason::Truncated);
    }
    header = next_word();
    if (header != 0 || !options_.skip_zero_words) break;
    window_.skip(kWord);
  } while (true);

  const std::uint64_t size_words = size_in_words(header);
  if (size_words == 0) return stop(ReadEnd::Reason::SizeZero);
  if (size_words > options_.max_record_bytes / kWord && size_words > kMaxRecordWords)
    return skip(record, header, size_words);
  const auto size_bytes = static_cast<std::size_t>(size_words) * kWord;
  if (!available(size_bytes)) {
    end_.missing_bytes = size_bytes - window_.size();
    return stop(ReadEnd::Reason::Truncated);
  }

  const std::byte* bytes = window_.bytes();
  record = {.offset = window_.offset(), .words = {}, .bytes = bytes, .too_large_words = 0};
  if (in_place_) {
    record.words = {reinterpret_cast<const std::uint64_t*>(bytes), static_cast<std::size_t>(size_words)};
  } else {
    numbers_.resize(static_cast<std::size_t>(size_words));
    std::memcpy(numbers_.data(), bytes, size_bytes);
    if (swap_)
      for (std::uint64_t& number : numbers_) boost::endian::endian_reverse_inplace(number);
    record.words = numbers_;
  }
  window_.skip(size_bytes);
  return true;
}

// Skips a record that is larger than the limit.
bool RecordStream::skip(RecordWords& record, std::uint64_t header, std::uint64_t size_words) {
  const std::uint64_t start = window_.offset();
  std::uint64_t left = size_words * kWord;
  while (left > 0) {
    if (!available(1)) {
      end_.missing_bytes = left;
      stop(ReadEnd::Reason::Truncated);
      end_.offset = start;
      return false;
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, window_.size()));
    window_.skip(piece);
    left -= piece;
  }
  skipped_header_ = header;
  record = {.offset = start,
            .words = {&skipped_header_, 1},
            .bytes = reinterpret_cast<const std::byte*>(&skipped_header_),
            .too_large_words = size_words};
  return true;
}

bool RecordStream::available(std::size_t bytes) {
  try {
    return window_.fetch(bytes);
  } catch (...) {
    stop(ReadEnd::Reason::Failed);
    throw;
  }
}

std::uint64_t RecordStream::next_word() const {
  std::uint64_t word = 0;
  std::memcpy(&word, window_.bytes(), kWord);
  return swap_ ? boost::endian::endian_reverse(word) : word;
}

void RecordStream::end_without_known_records() {
  const bool is_damage =
      end_.reason == ReadEnd::Reason::Truncated || end_.reason == ReadEnd::Reason::SizeZero;
  if (is_damage && !has_magic_) end_ = {.reason = ReadEnd::Reason::NoMagic};
}

bool RecordStream::stop(ReadEnd::Reason reason) {
  ended_ = true;
  in_place_ = false;
  end_.reason = reason;
  end_.offset = window_.offset();
  return false;
}

}  // namespace fxt
