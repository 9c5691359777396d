#include "fxt/tools/call_tree.h"

#include <algorithm>
#include <iterator>

#include "fxt/tools/microseconds.h"

namespace fxt::tools {

std::size_t CallTree::index_of(std::string_view name) {
  const auto known = indices_.find(name);
  if (known != indices_.end()) return known->second;
  const auto entry = indices_.emplace(name, names_.size()).first;
  names_.push_back(&entry->first);
  return entry->second;
}

void CallTree::append(const ThreadKey& thread, std::uint64_t time_ns, std::string_view duration,
                      std::size_t depth, std::string_view before, std::string_view name,
                      std::string_view behind, Text& out) const {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  fmt::format_to(std::back_inserter(out), "{:>8}.{:09} {:>15} {:>14} {:{}}{}{}{}", time_ns / kNsPerSecond,
                 time_ns % kNsPerSecond, fmt::format("{}/{}", thread.first, thread.second), duration, "",
                 2 * depth, before, displayable(name), behind);
}

bool CallTree::add(const Event& event, const Reader& reader, Text& out) {
  const bool is_complete = event.type == EventType::DurationComplete;
  const bool is_begin = event.type == EventType::DurationBegin;
  if (!is_complete && !is_begin && event.type != EventType::DurationEnd) return false;
  const auto begin_ns = reader.to_ns(event.time);
  const auto end_ns = is_complete ? reader.to_ns(event.end) : begin_ns;
  if (!begin_ns || !end_ns || *end_ns < *begin_ns) return false;

  const ThreadKey key{event.thread.process, event.thread.thread};
  OpenCalls& open = threads_[key];
  const bool is_placed = open.advance(*begin_ns, [](const OpenCalls::Call&) {});
  const std::uint64_t time_ns = std::max(*begin_ns, open.last_ns());
  if (!is_complete && !is_begin) {
    return open.end(time_ns, [&](const OpenCalls::Call& call) {
      if (call.waits)
        append(key, time_ns, microseconds(call.total_ns()), open.depth(), "} ", *names_[call.name], "", out);
    });
  }
  // Of one that stands behind what is later, nobody knows what lies around it.
  const bool is_alone = is_complete && !is_placed;
  append(key, *begin_ns, is_begin ? std::string() : microseconds(*end_ns - *begin_ns),
         is_alone ? 0 : open.depth(), "", event.name.text, is_begin ? " {" : "", out);
  if (!is_alone)
    open.push({.name = index_of(event.name.text), .begin_ns = time_ns, .end_ns = *end_ns, .waits = is_begin});
  return true;
}

}  // namespace fxt::tools
