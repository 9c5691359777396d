// A drawing consists of tracks with rows of shapes on one axis. In a timeline, each thread has a track and
// the axis is time. In a flame graph, each root (a thread, a process or the whole trace) has a track, and the
// axis is the total time of calls. A drawing is shown as SVG, or as a page that can be zoomed and searched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/hash.h"
#include "fxt/tools/call_paths.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/drawing/rows.h"

namespace fxt::tools {

// The details of shapes: the lines that a tooltip shows below the name. Each line is kept once, because most
// arguments have few different values.
class Details {
 public:
  // The maximum memory for lines and references to lines. If it is full, further details are left out.
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;

  // Returns the index of the details with these lines. Returns 0 (no details) if the text is empty or if
  // there is no room.
  std::uint32_t keep(std::string_view text) {
    if (text.empty()) return 0;
    const std::size_t cost =
        sizeof(std::uint32_t) * (2 + static_cast<std::size_t>(std::ranges::count(text, '\n')));
    if (bytes_ + cost + text.size() > kMaxBytes) {
      ++left_out_;
      return 0;
    }
    bytes_ += cost;
    for (bool is_last = false; !is_last;) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      references_.push_back(index_of(text.substr(0, end)));
      is_last = end == text.size();
      text.remove_prefix(is_last ? end : end + 1);
    }
    ends_.push_back(references_.size());
    return static_cast<std::uint32_t>(ends_.size() - 1);
  }
  // The number of texts for which there was no room.
  std::uint64_t left_out() const { return left_out_; }

  std::span<const std::uint32_t> lines_of(std::uint32_t details) const {
    if (details == 0) return {};
    return std::span(references_).subspan(ends_[details - 1], ends_[details] - ends_[details - 1]);
  }
  const std::string& line(std::uint32_t index) const { return *lines_[index]; }
  std::size_t line_count() const { return lines_.size(); }

 private:
  std::uint32_t index_of(std::string_view line) {
    const auto [known, is_new] =
        indices_.try_emplace(std::string(line), static_cast<std::uint32_t>(lines_.size()));
    if (is_new) {
      lines_.push_back(&known->first);
      bytes_ += line.size();
    }
    return known->second;
  }

  SeededMap<std::string, std::uint32_t> indices_;
  std::vector<const std::string*> lines_;
  std::vector<std::uint32_t> references_;
  std::vector<std::size_t> ends_{0};  // by index of the details: where their part of references_ ends
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

struct Drawing {
  // The value of a counter from this time on.
  struct Value {
    std::uint64_t ns;
    double value;
  };
  struct Lane {
    enum class Kind : std::uint8_t { Thread, Operations, Cpu, Counter };

    std::string name = {};
    Kind kind = Kind::Thread;
    std::vector<Row> rows = {};
    std::vector<Value> values = {};  // only in the track of a counter, which has no rows
  };
  // Connects an event of a flow with the flow's next event.
  struct Arrow {
    struct End {
      std::size_t lane = 0, row = 0;
      std::uint64_t ns = 0;
    };
    End from, to;
    std::uint32_t name;
  };

  // An instant that concerns more than its thread. It is drawn across the tracks from `first_lane` to
  // `last_lane`.
  struct Line {
    std::size_t first_lane = 0, last_lane = 0;
    std::uint64_t ns = 0;
    std::uint32_t name = 0;
  };

  std::vector<Lane> lanes = {};
  std::vector<Arrow> arrows = {};
  std::vector<Line> lines = {};
  std::vector<CallName> names = {};             // names of shapes, by index
  std::vector<std::uint64_t> calls = {};        // by name index: number of calls, including merged calls
  std::shared_ptr<const Details> details = {};  // details of shapes; tooltips show them
  std::uint64_t from_ns = 0, to_ns = 1;         // start and end of the axis
  std::uint64_t origin_ns = 0;                  // zero of the axis; earlier times are negative
  bool is_flame = false;                        // if true, the axis is not time
  std::vector<std::string> foot = {};           // the report, in lines below the picture

  // Converts a time to the axis. Times are below 2^63.
  std::int64_t since_origin(std::uint64_t ns) const { return static_cast<std::int64_t>(ns - origin_ns); }
};

// The width of both margins of a picture, in pixels.
inline constexpr std::uint64_t kMargins = 16;

// `width` is in pixels. A picture that is not `complete` has no tooltips of calls, and no details of
// instants.
std::string svg_of(const Drawing& drawing, std::uint64_t width, bool complete = true);

// Returns a page that loads no other files. The content of `all` can be zoomed and searched. If scripts are
// disabled, the page shows only `svg`.
std::string page_of(std::string_view title, std::string_view svg, const Drawing& all);

// Draws a flame graph, with a track for each root. Inner calls are below the calls around them. The width of
// a call is its total time.
Drawing flame_of(const CallPaths& paths, std::uint64_t columns);

// ---- Colors ----

// The hue of a name is the same in every picture. Each hue has two shades.
inline constexpr std::size_t kHues = 24, kShades = 2;
std::size_t hue_of(std::string_view name);

struct Color {
  std::size_t hue, shade;
  friend bool operator==(const Color&, const Color&) = default;
};
// The color of each name in the drawing. Names with similar hues that are neighbors in a row get different
// shades, if possible.
std::vector<Color> colors_of(const Drawing& drawing);

// Returns "#8fb7e0", for example.
std::string text_of(Color color);

}  // namespace fxt::tools
