// The colours of calls: stable by name, and unlike those of neighbours.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include <boost/crc.hpp>

#include "fxt/tools/drawing/picture.h"

namespace fxt::tools {

std::size_t hue_of(std::string_view name) {
  boost::crc_32_type hash;
  hash.process_bytes(name.data(), name.size());
  return hash.checksum() % kHues;
}

RowColours::Colour RowColours::next(std::uint32_t name, std::size_t hue) {
  if (name == name_) return last_;
  // Hues beside each other are hard to tell apart.
  const std::size_t apart = (hue + kHues - last_.hue) % kHues;
  const bool is_like = last_.hue != kHues && (apart <= 1 || apart == kHues - 1);
  name_ = name;
  last_ = {hue, is_like ? 1 - last_.shade : 0};
  return last_;
}

// By hue, saturation and lightness (CSS Color Module 3, section 4.2.4). Light enough for black text.
std::string colour(std::size_t hue, std::size_t shade) {
  const double lightness = shade == 0 ? 0.80 : 0.66, saturation = 0.55;
  const double strength = saturation * std::min(lightness, 1 - lightness);
  const auto channel = [&](double offset) {
    const double k = std::fmod(offset + static_cast<double>(hue) * 12 / kHues, 12);
    const double value = lightness - strength * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
    return static_cast<int>(std::lround(255 * value));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

}  // namespace fxt::tools
