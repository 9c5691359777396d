// Where the hits of a tracepoint hold the id of their thread, because its actions collect a variable `tid`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "converters/tfile/description/description.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {

class CollectedThreadIds {
 public:
  explicit CollectedThreadIds(const Description& description);

  bool are_collected(std::int16_t tracepoint) const { return block_of_.contains(tracepoint); }
  // Nothing if the frame holds none, or a number that is no thread's.
  std::optional<std::uint64_t> of(const Frame& frame, std::endian order) const;

 private:
  std::map<std::int16_t, std::size_t> block_of_;  // the block that holds it, by tracepoint
};

}  // namespace convert::tfile
