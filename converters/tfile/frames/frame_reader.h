// Reads the frames of a trace file forward, and finds the next good ones behind damage and behind the holes
// that gdbserver leaves in circular buffers. Every reader of the same file finds the same frames.
#pragma once

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
  std::uint64_t number = 0;  // running count of the frames found in the file
  std::int16_t tracepoint = 0;
  std::uint64_t offset = 0;   // of its header, in the file
  std::uint64_t size = 0;     // of its blocks, as its header says
  bool is_partial = false;    // not all of it could be read
  std::vector<Block> blocks;  // the readable ones; they borrow until the next call of next()
  // From its header to the end of the last readable block; the blocks lie there. Borrowed, too.
  std::span<const std::byte> bytes = {};
};

// A stretch of the file without readable frames, or a frame that is not whole.
struct Damage {
  enum class Kind : std::uint8_t { Frame, Skipped, Tail };
  Kind kind;
  std::uint64_t begin = 0, end = 0;  // file offsets of what could not be read
  std::string problem;
};

// Numbers of tracepoints that frames can have; one bit a number.
class KnownTracepoints {
 public:
  explicit KnownTracepoints(const std::vector<TracepointLocation>& locations);
  bool contains(std::int16_t number) const { return known_[static_cast<std::uint16_t>(number)]; }
  bool empty() const { return empty_; }

 private:
  std::vector<bool> known_;
  bool empty_ = true;
};

class FrameReader {
 public:
  // A frame larger than this is read up to here; the rest counts as damage.
  static constexpr std::size_t kMaxFrameBytes = std::size_t{32} << 20;

  // Borrows both for its life. `format` must not change.
  FrameReader(FileWindow& file, const Description& description, const FrameFormat& format);

  // The next frame, or null at the end. Valid until the next call.
  const Frame* next();

  // The bytes where next() would read on: at least kPeekBytes, or up to the end of the file; none at the end.
  // Valid until any other call.
  std::span<const std::byte> peek() {
    constexpr std::size_t kPeekBytes = 512;
    if (at_end_ || is_behind_last()) return {};
    return file_.at(offset_, kPeekBytes);
  }
  // Instead of next(), for a caller that knows from peek() that a whole frame of `size` bytes (header
  // included) stands there.
  void skip_frame(std::size_t size) {
    ++frames_read_;
    offset_ += size;
  }

  // The damage that next() found since the last call of this.
  std::vector<Damage> pop_damage() { return std::exchange(damage_, {}); }
  bool has_damage() const { return !damage_.empty(); }

  std::uint64_t offset() const { return offset_; }  // how far the file is read
  std::uint64_t frames_read() const { return frames_read_; }

 private:
  enum class Fit : std::uint8_t { No, Frame, End };  // what lies at an offset

  bool frames_are_missing() const { return expected_frames_.has_value() && frames_read_ < *expected_frames_; }
  // Behind the last frame of a circular buffer lies what was there before.
  bool is_behind_last() const { return is_circular_ && expected_frames_ && !frames_are_missing(); }
  bool chains(std::uint64_t offset, std::size_t& work);
  Fit fit_at(std::uint64_t offset, std::uint64_t& next, std::size_t& work, bool any_tracepoint = false);
  std::optional<std::uint64_t> find_chain(std::uint64_t from, std::uint64_t to);
  const Frame* skip_to_chain(std::uint64_t from, std::string problem);
  const Frame* broken_frame(const FrameHeader& header, std::size_t good_bytes);
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
  std::size_t search_budget_;
  Frame frame_;
  std::vector<Damage> damage_;
};

}  // namespace convert::tfile
