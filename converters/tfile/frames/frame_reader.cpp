#include "converters/tfile/frames/frame_reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace convert::tfile {
namespace {

// Known end markers have 2, 4 or 6 zero bytes. The limit is somewhat higher.
constexpr std::uint64_t kLongestEndMarker = 8;

}  // namespace

KnownTracepoints::KnownTracepoints(const std::vector<TracepointLocation>& locations) : known_(0x10000) {
  bool has_any = false;
  for (const TracepointLocation& location : locations) {
    if (location.number == 0 || location.number >= known_.size()) continue;
    known_[location.number] = has_any = true;
  }
  if (!has_any) known_.assign(known_.size(), true);
  known_[0] = false;
}

FrameReader::FrameReader(FileWindow& file, const Description& description, const FrameFormat& format)
    : file_(file),
      format_(format),
      known_(description.locations),
      offset_(description.frames_begin),
      // Limits the work of all searches together. Otherwise, their time could grow with the square of the
      // file's size.
      search_budget_(static_cast<std::size_t>(2 * file.size()) + (std::size_t{1} << 20)) {
  at_end_ = !description.is_complete;
  if (description.status) {
    expected_frames_ = description.status->frames;
    is_circular_ = description.status->circular;
  }
}

const Frame* FrameReader::next() {
  if (at_end_) return nullptr;
  if (is_after_last()) {
    at_end_ = true;
    return nullptr;
  }
  const auto head = file_.at(offset_, kFrameHeaderBytes);
  if (head.size() < 2 ||
      (head.size() < kFrameHeaderBytes && (head[0] != std::byte{} || head[1] != std::byte{}))) {
    at_end_ = true;
    add_damage(Damage::Kind::Tail, offset_, file_.size(),
               head.empty() ? "the end marker is missing" : "the file ends inside a frame header");
    return nullptr;
  }
  if (head[0] == std::byte{} && head[1] == std::byte{}) {
    if (frames_are_missing() && file_.size() - offset_ > kLongestEndMarker)
      return skip_to_chain(offset_ + 1, "an end marker is between the frames");
    pass_end_marker();
    return nullptr;
  }
  const FrameHeader header = frame_header(head, format_.order);
  const std::uint64_t available = file_.size() - offset_ - kFrameHeaderBytes;
  const auto readable =
      static_cast<std::size_t>(std::min<std::uint64_t>({header.size, available, kMaxFrameBytes}));
  // The result has fewer bytes than requested if the file has become shorter.
  const auto all = file_.at(offset_, kFrameHeaderBytes + readable);
  const auto data = all.subspan(std::min(all.size(), kFrameHeaderBytes));
  frame_.blocks.clear();
  const std::size_t good = walk_blocks(data.first(std::min(readable, data.size())), format_, &frame_.blocks);
  if (good != header.size || !known_.contains(header.tracepoint)) return broken_frame(header, good);
  start_frame(header);
  offset_ += kFrameHeaderBytes + header.size;
  frame_.bytes = {data.data() - kFrameHeaderBytes, kFrameHeaderBytes + header.size};
  return &frame_;
}

void FrameReader::start_frame(const FrameHeader& header) {
  frame_.number = frames_read_++;
  frame_.tracepoint = header.tracepoint;
  frame_.offset = offset_;
  frame_.size = header.size;
  frame_.is_partial = false;
}

// Handles a frame whose blocks are damaged or cut off, or whose tracepoint is unknown. The bytes after it
// show whether it is really a frame, and where the next frame begins.
const Frame* FrameReader::broken_frame(const FrameHeader& header, std::size_t good_bytes) {
  const std::uint64_t blocks_begin = offset_ + kFrameHeaderBytes;
  const std::uint64_t end = blocks_begin + header.size;
  const std::uint64_t first_bad = blocks_begin + good_bytes;
  const bool is_known = known_.contains(header.tracepoint);
  std::uint64_t ignored = 0;
  std::size_t work = 0;
  // A whole frame comes here only if its tracepoint is unknown. The frame after it may then also have an
  // unknown tracepoint.
  const bool is_whole = good_bytes == header.size;
  const bool is_followed =
      end <= file_.size() && find_at(end, ignored, work, is_whole && header.size > 0) != Found::Nothing;

  if (is_followed && (is_whole || is_known)) {
    start_frame(header);
    frame_.is_partial = !is_whole;
    if (!is_whole)
      add_damage(Damage::Kind::Frame, first_bad, end,
                 frame_.blocks.size() == kFrameBlocks.least
                     ? fmt::format("frame {}: {}; the blocks after these are left out", frame_.number,
                                   kFrameBlocks.exceeded())
                     : fmt::format("frame {}: unknown or damaged block", frame_.number));
  } else if (is_circular_ || !expected_frames_ || frames_are_missing()) {
    const std::uint64_t from = is_known ? first_bad : offset_ + 1;
    const auto chain = find_chain(from, file_.size());
    if (!is_known && !chain) {
      add_damage(Damage::Kind::Tail, offset_, file_.size(), "no frame can be read from here on");
      at_end_ = true;
      return nullptr;
    }
    if (is_known) {
      start_frame(header);
      frame_.is_partial = true;
      const bool is_cut = end > file_.size() && !chain;
      add_damage(is_cut ? Damage::Kind::Tail : Damage::Kind::Frame, first_bad, chain.value_or(file_.size()),
                 is_cut ? fmt::format("the file ends inside frame {}: {} bytes are missing", frame_.number,
                                      end - file_.size())
                        : fmt::format("frame {} and the data after it are damaged", frame_.number));
    } else {
      add_damage(Damage::Kind::Skipped, offset_, *chain, "no readable frames here");
    }
    offset_ = chain.value_or(file_.size());
    at_end_ = !chain;
    // The search has read another part of the file into memory, so the good blocks are read again.
    return is_known ? reread(blocks_begin, good_bytes) : next();
  } else {  // after the last expected frame
    pass_end_marker();
    return nullptr;
  }
  // To look at the bytes after the frame, another part of the file may have been read into memory. Therefore,
  // the blocks are read again.
  offset_ = end;
  return reread(blocks_begin, good_bytes);
}

void FrameReader::pass_end_marker() {
  const auto marker = file_.at(offset_, kLongestEndMarker);
  for (std::size_t i = 0; i < std::min<std::size_t>(marker.size(), kLongestEndMarker); ++i) {
    if (marker[i] != std::byte{}) break;
    ++offset_;
  }
  at_end_ = is_past_end_marker_ = true;
}

std::uint64_t FrameReader::bytes_behind_end() const {
  return is_past_end_marker_ && !is_circular_ ? file_.size() - std::min(file_.size(), offset_) : 0;
}

const Frame* FrameReader::reread(std::uint64_t blocks_begin, std::size_t good_bytes) {
  frame_.blocks.clear();
  const std::size_t size = kFrameHeaderBytes + good_bytes;
  const auto data = file_.at(blocks_begin - kFrameHeaderBytes, size);
  frame_.bytes = data.first(std::min(size, data.size()));
  // The file may have become shorter in the meantime.
  if (frame_.bytes.size() > kFrameHeaderBytes)
    walk_blocks(frame_.bytes.subspan(kFrameHeaderBytes), format_, &frame_.blocks);
  return &frame_;
}

const Frame* FrameReader::skip_to_chain(std::uint64_t from, std::string problem) {
  const auto chain = find_chain(from, file_.size());
  add_damage(chain ? Damage::Kind::Skipped : Damage::Kind::Tail, from - 1, chain.value_or(file_.size()),
             std::move(problem));
  if (!chain) {
    at_end_ = true;
    return nullptr;
  }
  offset_ = *chain;
  return next();
}

// The first offset at which a complete frame is followed by another frame or by the end.
std::optional<std::uint64_t> FrameReader::find_chain(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t offset = from; offset < to; ++offset) {
    if (search_budget_ == 0) {
      add_damage(Damage::Kind::Skipped, offset, to, "too much damage, so the search for frames ends here");
      return std::nullopt;
    }
    std::size_t work = 1;
    const bool found = chains(offset, work);
    search_budget_ -= std::min(search_budget_, work);
    if (found) return offset;
  }
  return std::nullopt;
}

bool FrameReader::chains(std::uint64_t offset, std::size_t& work) {
  const auto head = file_.at(offset, kFrameHeaderBytes);
  if (head.size() < kFrameHeaderBytes) return false;
  const FrameHeader header = frame_header(head, format_.order);
  if (header.size == 0 || !known_.contains(header.tracepoint)) return false;
  std::uint64_t second = 0, third = 0;
  return find_at(offset, second, work) == Found::Frame && find_at(second, third, work) != Found::Nothing;
}

FrameReader::Found FrameReader::find_at(std::uint64_t offset, std::uint64_t& next, std::size_t& work,
                                        bool any_tracepoint) {
  if (offset >= file_.size()) return offset == file_.size() ? Found::End : Found::Nothing;
  const std::uint64_t left = file_.size() - offset;
  const auto head = file_.at(offset, kFrameHeaderBytes);
  if (head.size() < 2) return Found::Nothing;
  if (head[0] == std::byte{} && head[1] == std::byte{})
    return left <= kLongestEndMarker ? Found::End : Found::Nothing;
  if (head.size() < kFrameHeaderBytes) return Found::Nothing;
  const FrameHeader header = frame_header(head, format_.order);
  const bool is_plausible = any_tracepoint ? header.size > 0 : known_.contains(header.tracepoint);
  if (!is_plausible || header.size > left - kFrameHeaderBytes || header.size > kMaxFrameBytes)
    return Found::Nothing;

  // First checks the blocks that are already in memory. If an offset is not the start of a frame, this is
  // usually enough to show it. If it is not enough, the whole frame is read.
  const std::size_t longest_block = 65536 + static_cast<std::size_t>(format_.register_block_size) + 16;
  const auto near = head.subspan(kFrameHeaderBytes)
                        .first(std::min<std::size_t>(header.size, head.size() - kFrameHeaderBytes));
  std::size_t good = walk_blocks(near, format_, nullptr);
  work += good / 8;
  if (good != header.size && near.size() < header.size && good + longest_block > near.size()) {
    const auto all = file_.at(offset, kFrameHeaderBytes + header.size);
    if (all.size() < kFrameHeaderBytes + header.size) return Found::Nothing;
    good = walk_blocks(all.subspan(kFrameHeaderBytes, header.size), format_, nullptr);
    work += header.size / 8;
  }
  if (good != header.size) return Found::Nothing;
  next = offset + kFrameHeaderBytes + header.size;
  return Found::Frame;
}

void FrameReader::add_damage(Damage::Kind kind, std::uint64_t begin, std::uint64_t end, std::string problem) {
  damage_.push_back(
      {.kind = kind, .begin = begin, .end = std::max(begin, end), .problem = std::move(problem)});
}

}  // namespace convert::tfile
