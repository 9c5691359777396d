#include "converters/tfile/frames/frame_pattern.h"

#include <algorithm>
#include <utility>

namespace convert::tfile {

std::optional<FramePattern> FramePattern::pattern_of(const Frame& frame) {
  const std::span<const std::byte> bytes = frame.bytes;
  if (frame.is_partial || bytes.size() < kMinBytes || bytes.size() > kMaxBytes) return std::nullopt;
  FramePattern pattern;
  pattern.size_ = bytes.size();
  std::array<std::uint8_t, kMaxBytes> is_same;
  is_same.fill(0xff);
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::Memory && block.kind != Block::Kind::Variable) return std::nullopt;
    const auto offset = static_cast<std::size_t>(block.bytes.data() - bytes.data());
    std::fill_n(is_same.begin() + static_cast<std::ptrdiff_t>(offset), block.bytes.size(), std::uint8_t{0});
    if (block.kind == Block::Kind::Variable) pattern.variables_.push_back({block.address, offset});
  }
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    Word word{.offset = std::min(at, bytes.size() - sizeof(std::uint64_t)), .mask = 0, .expected = 0};
    std::memcpy(&word.mask, is_same.data() + word.offset, sizeof word.mask);
    std::memcpy(&word.expected, bytes.data() + word.offset, sizeof word.expected);
    word.expected &= word.mask;
    if (word.mask != 0) pattern.words_.push_back(word);
  }
  return pattern;
}

std::optional<std::size_t> FramePattern::value_of(std::uint64_t variable) const {
  const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                  [&](const Variable& v) { return v.number == variable; });
  return found != variables_.rend() ? std::optional(found->offset) : std::nullopt;
}

bool FramePatterns::wants_another(const Frame& frame) {
  if (frame.bytes.size() < FramePattern::kMinBytes || entries_.size() == kMaxPatterns) return false;
  List& list = lists_[key_of(frame.bytes)];
  if (list.tries == kMaxTries) return false;
  ++list.tries;
  return true;
}

void FramePatterns::add(const Frame& frame, FramePattern pattern) {
  List& list = lists_[key_of(frame.bytes)];
  entries_.push_back({std::move(pattern), list.first});
  list.first = static_cast<std::uint32_t>(entries_.size());
}

}  // namespace convert::tfile
