// Reads the frames of a trace file forward. After damage, finds the next good frame. Also skips the holes
// that gdbserver leaves in circular buffers. All readers of a file find the same frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/reading/input_file.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/frames/frame_format.h"

namespace convert::tfile {

struct Frame {
  std::uint64_t number = 0;  // how many frames were found in the file before this one
  std::int16_t tracepoint = 0;
  std::uint64_t offset = 0;   // file offset of its header
  std::uint64_t size = 0;     // size of the frame's blocks according to the header
  bool is_partial = false;    // some blocks can't be read
  std::vector<Block> blocks;  // the readable blocks; valid until the next call of next()
  // The bytes from the header to the end of the last readable block. Valid as long as the blocks.
  std::span<const std::byte> bytes = {};

  // The last value of a trace state variable in the frame.
  std::optional<std::uint64_t> variable(std::uint64_t variable_number) const {
    std::optional<std::uint64_t> value;
    for (const Block& block : blocks)
      if (block.kind == Block::Kind::Variable && block.address == variable_number)
        value = static_cast<std::uint64_t>(block.value);
    return value;
  }
};

// A part of the file without readable frames, or an incomplete frame.
struct Damage {
  enum class Kind : std::uint8_t { Frame, Skipped, Tail };
  Kind kind;
  std::uint64_t begin = 0, end = 0;  // file offsets of the unreadable bytes
  std::string problem;
};

// The tracepoint numbers in the description. If it has none, frames can have any number except 0.
class KnownTracepoints {
 public:
  explicit KnownTracepoints(const std::vector<TracepointLocation>& locations);
  bool contains(std::int16_t number) const { return known_[static_cast<std::uint16_t>(number)]; }

 private:
  std::vector<bool> known_;
};

class FrameReader {
 public:
  // Larger frames are read up to this size. Their other bytes count as damage.
  static constexpr std::size_t kMaxFrameBytes = std::size_t{32} << 20;

  // `format` must not change.
  FrameReader(FileWindow& file, const Description& description, const FrameFormat& format);

  // The next frame, or null at the end. Valid until the next call.
  const Frame* next();

  // The bytes that next() would read: at least kPeekBytes, or fewer if the file ends earlier. Empty after
  // next() has returned null, and after the last frame of a circular buffer. Valid until any other call.
  std::span<const std::byte> peek() {
    constexpr std::size_t kPeekBytes = 512;
    if (at_end_ || is_after_last()) return {};
    return file_.at(offset_, kPeekBytes);
  }
  // Must be called instead of next() for a complete frame that the caller has read with peek(). The frame has
  // `size` bytes, including the header.
  void skip_frame(std::size_t size) {
    ++frames_read_;
    offset_ += size;
  }

  // The damage that next() found since the last call of pop_damage().
  std::vector<Damage> pop_damage() { return std::exchange(damage_, {}); }
  bool has_damage() const { return !damage_.empty(); }

  std::uint64_t offset() const { return offset_; }  // the position in the file
  // Returns the number of bytes after the end marker. These bytes begin at offset(). Must be called after
  // next() has returned null. Returns 0 if damage covers these bytes. Also returns 0 for a circular buffer,
  // because old bytes after its last frame are normal.
  std::uint64_t bytes_behind_end() const;
  std::uint64_t frames_read() const { return frames_read_; }

 private:
  enum class Found : std::uint8_t { Nothing, Frame, End };  // what is at an offset

  bool frames_are_missing() const { return expected_frames_.has_value() && frames_read_ < *expected_frames_; }
  // In a circular buffer, old bytes follow the last frame.
  bool is_after_last() const { return is_circular_ && expected_frames_ && !frames_are_missing(); }
  bool chains(std::uint64_t offset, std::size_t& work);
  Found find_at(std::uint64_t offset, std::uint64_t& next, std::size_t& work, bool any_tracepoint = false);
  std::optional<std::uint64_t> find_chain(std::uint64_t from, std::uint64_t to);
  const Frame* skip_to_chain(std::uint64_t from, std::string problem);
  const Frame* broken_frame(const FrameHeader& header, std::size_t good_bytes);
  void pass_end_marker();
  const Frame* reread(std::uint64_t blocks_begin, std::size_t good_bytes);
  void start_frame(const FrameHeader& header);
  void add_damage(Damage::Kind kind, std::uint64_t begin, std::uint64_t end, std::string problem);

  FileWindow& file_;
  FrameFormat format_;
  KnownTracepoints known_;
  std::optional<std::uint64_t> expected_frames_;
  bool is_circular_ = false;
  std::uint64_t offset_;
  std::uint64_t frames_read_ = 0;
  bool at_end_ = false;
  bool is_past_end_marker_ = false;
  std::size_t search_budget_;
  Frame frame_;
  std::vector<Damage> damage_;
};

}  // namespace convert::tfile
