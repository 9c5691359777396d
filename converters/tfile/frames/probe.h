// Finds out what a trace file does not say: the byte order, and whether its R line means what it says.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "converters/model/reading/input_file.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/frames/frame_format.h"

namespace convert::tfile {

// How well the first frames can be read in one way.
struct ProbeScore {
  FrameFormat format;
  std::size_t frames = 0;  // that fit exactly
  bool is_clean = false;   // not one that does not fit
};

// Tries both byte orders with each register block size on the first frames. The best comes first; the order
// of `sizes` and then `preferred` decide between equals. Fact sheet, section 4.
std::vector<ProbeScore> probe_formats(FileWindow& file, const Description& description,
                                      std::span<const std::uint64_t> sizes, std::endian preferred);

// The default layout whose pc register holds the tracepoint's address in most of the first frames.
const RegisterLayout* probe_layout(FileWindow& file, const Description& description,
                                   const FrameFormat& format);

}  // namespace convert::tfile
