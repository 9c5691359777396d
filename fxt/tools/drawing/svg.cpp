#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

#include <boost/crc.hpp>

#include "fxt/support/text.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/texts.h"

namespace fxt::tools {
namespace {

constexpr double kMargin = kMargins / 2.0;
constexpr std::uint64_t kAxis = 26, kHeading = 15, kRow = 17, kGap = 12, kFootLine = 13;
constexpr double kMarkHalf = 4;  // of its width
constexpr double kColumn = 6.1;  // of the font
constexpr double kThinnest = 0.5;
constexpr std::uint64_t kTickRoom = 100;
constexpr std::string_view kMerged = "#999";
constexpr std::array<std::string_view, 9> kColours{"#7eb0d5", "#b2e061", "#bd7ebe", "#ffb55a", "#ffee65",
                                                   "#beb9db", "#fdcce5", "#8bd3c7", "#fd7f6f"};

// A name has the same colour in every picture.
std::string_view colour_of(std::string_view name) {
  boost::crc_32_type hash;
  hash.process_bytes(name.data(), name.size());
  return kColours[hash.checksum() % kColours.size()];
}

// "12.5", "12": as exact as a screen can show.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

class Picture {
 public:
  Picture(const DrawnTimeline& timeline, std::uint64_t width)
      : timeline_(&timeline), width_(static_cast<double>(width)) {}

  void thread(const DrawnTimeline::NamedRows& thread) {
    print("<g class=\"lane\">\n<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n", number(kMargin),
          y_ + 10, in_xml(fitted(thread.name, (width_ - 2 * kMargin) / kColumn)));
    y_ += kHeading;
    for (const Row& row : thread.rows->rows()) {
      for (const auto& [begin, call] : row.calls()) this->call(call);
      y_ += kRow;
    }
    // Marks lie over all calls.
    y_ -= kRow * thread.rows->rows().size();
    for (const Row& row : thread.rows->rows()) {
      marks(row);
      y_ += kRow;
    }
    print("</g>\n");
    y_ += kGap;
  }

  void foot(const std::vector<std::string>& lines) {
    threads_end_ = y_ - kGap / 2;
    print("<g class=\"foot\" fill=\"#777\">\n");
    const auto columns = static_cast<std::size_t>((width_ - 2 * kMargin) / kColumn);
    for (const std::string& line : lines) {
      for (const std::string_view part : wrapped_lines(line, columns)) {
        print("<text x=\"{}\" y=\"{}\">{}</text>\n", number(kMargin), y_ + 8, in_xml(part));
        y_ += kFootLine;
      }
    }
    print("</g>\n");
  }

  std::string document() && {
    const std::uint64_t origin = timeline_->origin_ns();
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"monospace\" font-size=\"10\" data-from=\"{2}\" data-to=\"{3}\">\n"
        "<style>text{{pointer-events:none}}</style>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{4}",
        width_, y_, timeline_->from_ns() - origin, timeline_->to_ns() - origin, axis());
    text.append(body_.data(), body_.size());
    return text + "</svg>\n";
  }

 private:
  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(body_), format, std::forward<Values>(values)...);
  }

  double x(std::uint64_t time_ns) const {
    const std::uint64_t from = timeline_->from_ns(), to = timeline_->to_ns();
    const auto since = static_cast<double>(std::clamp(time_ns, from, to) - from);
    return kMargin + since * (width_ - 2 * kMargin) / static_cast<double>(to - from);
  }
  std::string since_start(std::uint64_t time_ns) const {
    const std::uint64_t origin = timeline_->origin_ns();
    return time_ns < origin ? "-" + exact_time(origin - time_ns) : exact_time(time_ns - origin);
  }

  std::string axis() const {
    const std::uint64_t origin = timeline_->origin_ns();
    std::string text = "<g class=\"axis\" fill=\"#777\" stroke-width=\"0.5\">\n";
    for (const Tick& tick : ticks(timeline_->from_ns() - origin, timeline_->to_ns() - origin,
                                  static_cast<std::size_t>(width_) / kTickRoom)) {
      const double at = x(origin + tick.ns);
      const double half = columns_of(tick.text) * kColumn / 2;
      text += fmt::format("<path d=\"M{} {}V{}\" stroke=\"#ccc\"/>\n", number(at), kAxis - 8, threads_end_);
      text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n",
                          number(std::clamp(at - half, 0.0, width_ - 2 * half)), kAxis - 11, tick.text);
    }
    return text + "</g>\n";
  }

  void call(const Shape& call) {
    const double left = x(call.begin_ns);
    const double width = std::max(x(call.end_ns) - left, call.is_merged() ? 1 : kThinnest);
    print("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{}</title></rect>\n",
          number(left), y_, number(width), kRow - 1, call.is_merged() ? kMerged : colour_of(*call.name),
          title(call));
    if (call.is_merged()) return;
    if (const std::string shown = fitted(*call.name, (width - 4) / kColumn); !shown.empty())
      print("<text x=\"{}\" y=\"{}\">{}</text>\n", number(left + 2), y_ + kRow - 5, in_xml(shown));
  }
  std::string title(const Shape& call) const {
    const std::string name = in_xml(*call.name);
    if (call.is_merged())
      return fmt::format("{} calls at {}, {} took longest: {}", call.count, since_start(call.begin_ns), name,
                         exact_time(call.longest_ns));
    return fmt::format("{}{}: {} at {}{}", name, frame(call), exact_time(call.longest_ns),
                       since_start(call.begin_ns), call.has_end ? "" : ", without an end");
  }
  static std::string frame(const Shape& shape) {
    return shape.frame ? fmt::format(", frame {}", *shape.frame) : "";
  }

  void marks(const Row& row) {
    for (auto at = row.marks().begin(); at != row.marks().end(); ++at) {
      const Shape& mark = at->second;
      const bool is_frame = mark.kind == Shape::Kind::Frame;
      const double centre = x(mark.begin_ns);
      const std::string_view colour = is_frame ? "#c00" : "#36a";
      print("<path class=\"mark\" transform=\"translate({} {})\" d=\"{}\" fill=\"{}\"><title>",
            number(centre), y_, is_frame ? "M0 0l4 8h-8z" : "M0 0l3 4l-3 4l-3 -4z", colour);
      if (mark.is_merged())
        print("{} {} at {}, the first is {}{}", mark.count, is_frame ? "frames" : "instants",
              since_start(mark.begin_ns), in_xml(*mark.name), frame(mark));
      else
        print("{}{} at {}", in_xml(*mark.name), frame(mark), since_start(mark.begin_ns));
      print("</title></path>\n");
      const double room = room_behind(row, at) - centre - 2 * kMarkHalf;
      if (mark.is_merged() || columns_of(*mark.name) * kColumn > room) continue;
      print("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", number(centre + kMarkHalf + 1), y_ + kRow - 7,
            colour, in_xml(*mark.name));
    }
  }
  // Where a mark's name has to end: at the next mark or call.
  double room_behind(const Row& row, Row::Shapes::const_iterator mark) const {
    double room = width_ - kMargin;
    if (const auto next = std::next(mark); next != row.marks().end()) room = x(next->first) - kMarkHalf;
    const auto call = row.calls().lower_bound(mark->first);
    if (call != row.calls().end()) room = std::min(room, x(call->first));
    return room;
  }

  const DrawnTimeline* timeline_;
  double width_;
  std::uint64_t y_ = kAxis, threads_end_ = kAxis;
  fmt::memory_buffer body_;
};

}  // namespace

std::string svg_of(const DrawnTimeline& timeline, std::uint64_t width, const std::vector<std::string>& foot) {
  Picture picture(timeline, width);
  for (const DrawnTimeline::NamedRows& thread : timeline.threads()) picture.thread(thread);
  picture.foot(foot);
  return std::move(picture).document();
}

}  // namespace fxt::tools
