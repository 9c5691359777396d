// Makes the drawing of a flame graph, whose axis is the total time of calls.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/support/text.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/time_text.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

constexpr std::size_t kMaxRows = 200, kMaxLanes = 64;
constexpr std::size_t kRootNameBytes = 100;  // limited, because the text of each path has the root's name

}  // namespace

Drawing flame_of(const CallPaths& paths, std::uint64_t columns) {
  const auto details = std::make_shared<Details>();
  Drawing drawing{.details = details, .is_flame = true};
  std::map<CallName, std::uint32_t> names;
  std::uint64_t widest = 1, shapes = 0, narrow = 0, deep = 0;
  for (const CallPaths::Node* root : paths.all().children) widest = std::max(widest, root->total_ns);
  drawing.to_ns = widest;
  // Calls narrower than a hundredth of a pixel are left out. Wider calls are kept, because they become
  // visible when the page is zoomed.
  const std::uint64_t least_ns = widest / columns / 100;

  struct Open {
    const CallPaths::Node* node;
    std::size_t row;
    std::uint64_t begin_ns;
  };
  for (const CallPaths::Node* root : paths.all().children) {
    if (drawing.lanes.size() == kMaxLanes) break;
    Drawing::Lane& lane = drawing.lanes.emplace_back();
    lane.name = fmt::format("{}: {}", root->name, exact_time(root->total_ns));
    const std::string_view root_name = cut_utf8(root->name, kRootNameBytes);
    std::vector<Open> open{{root, 0, 0}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      std::uint64_t begin_ns = at.begin_ns;
      for (const CallPaths::Node* node : at.node->children) {
        const Open inner{node, at.row + 1, begin_ns};
        begin_ns += node->total_ns;
        if (node->total_ns < least_ns || inner.row > kMaxRows) {
          ++(node->total_ns < least_ns ? narrow : deep);
          continue;
        }
        const CallName own{.category = node->is_off_cpu ? "sched" : "", .name = std::string(node->name)};
        const auto [name, is_new] = names.try_emplace(own, static_cast<std::uint32_t>(drawing.names.size()));
        if (is_new) drawing.names.push_back(own);
        if (is_new) drawing.calls.push_back(0);
        drawing.calls[name->second] += node->calls;
        if (lane.rows.size() < inner.row) lane.rows.resize(inner.row);
        const std::uint32_t shown_details = details->keep(
            fmt::format("{:.2f} % of {}, itself {}, {}",
                        100.0 * static_cast<double>(node->total_ns) / static_cast<double>(root->total_ns),
                        root_name, exact_time(node->self_ns), counted(node->calls, "call")));
        lane.rows[inner.row - 1].put({.begin_ns = inner.begin_ns,
                                      .end_ns = begin_ns,
                                      .longest_ns = node->total_ns,
                                      .name = name->second,
                                      .details = shown_details});
        ++shapes;
        open.push_back(inner);
      }
    }
  }
  drawing.foot.push_back(counted(shapes, "path of calls", "paths of calls"));
  const auto say = [&](std::uint64_t count, std::string_view one, std::string_view what) {
    if (count != 0) drawing.foot.push_back(fmt::format("{} {}", counted(count, one), what));
  };
  say(narrow, "path",
      "not drawn, together with their callees, because they are narrower than a hundredth of a pixel");
  say(deep, "path", "not drawn, because they are nested too deep");
  say(paths.all().children.size() - drawing.lanes.size(), "more graph",
      "not drawn, because there are too many");
  std::ranges::copy(paths.notes(), std::back_inserter(drawing.foot));
  say(paths.joined(), "call",
      "drawn as part of their callers, because there are too many paths, or because the paths are too deep");
  return drawing;
}

}  // namespace fxt::tools
