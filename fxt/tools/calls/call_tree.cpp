#include "fxt/tools/calls/call_tree.h"

#include <algorithm>

#include "fxt/tools/calls/call_event.h"
#include "fxt/tools/text/microseconds.h"

namespace fxt::tools {
namespace {

// Deeper ones stand below each other: else a line takes as many bytes as calls are open.
constexpr std::size_t kMaxIndentedDepth = 512;

}  // namespace

std::size_t CallTree::index_of(std::string_view name) {
  const auto known = indices_.find(name);
  if (known != indices_.end()) return known->second;
  const auto entry = indices_.emplace(name, names_.size()).first;
  names_.push_back(&entry->first);
  return entry->second;
}

void CallTree::append(const ThreadKey& thread, std::uint64_t time_ns, std::string_view duration,
                      std::size_t depth, std::string_view before, std::string_view name,
                      std::string_view behind, TextBuffer& out) const {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  fxt::append(out, "{:>8}.{:09} {:>15} {:>14} {:{}}{}{}{}", time_ns / kNsPerSecond,
                     time_ns % kNsPerSecond, fmt::format("{}/{}", thread.first, thread.second), duration, "",
                     2 * std::min(depth, kMaxIndentedDepth), before, displayable(name), behind);
}

bool CallTree::add(const Event& event, const Reader& reader, TextBuffer& out) {
  const auto said = call_event(event, reader);
  if (!said) return false;
  OpenCalls& open = threads_[said->thread];
  const bool is_placed = open.advance(said->begin_ns, [](const OpenCalls::Call&) {});
  const std::uint64_t time_ns = std::max(said->begin_ns, open.last_ns());
  if (said->is_end()) {
    return open.end(time_ns, [&](const OpenCalls::Call& call) {
      if (call.waits)
        append(said->thread, time_ns, microseconds(call.total_ns()), open.depth(), "} ", *names_[call.name],
               "", out);
    });
  }
  // Of one that stands behind what is later, nobody knows what lies around it.
  const bool is_alone = said->is_complete() && !is_placed;
  append(said->thread, said->begin_ns,
         said->is_begin() ? std::string() : microseconds(said->end_ns - said->begin_ns),
         is_alone ? 0 : open.depth(), "", event.name.text, said->is_begin() ? " {" : "", out);
  if (!is_alone)
    open.push({.name = index_of(event.name.text),
               .begin_ns = time_ns,
               .end_ns = said->end_ns,
               .waits = said->is_begin()});
  return true;
}

}  // namespace fxt::tools
