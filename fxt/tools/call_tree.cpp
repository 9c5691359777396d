#include "fxt/tools/call_tree.h"

#include <algorithm>

#include "fxt/tools/open_calls.h"
#include "fxt/utf8.h"

namespace fxt::tools {
namespace {

// Deeper calls are not indented further: a line would need as many bytes as calls are open.
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
  fxt::append(out, "{:>8}.{:09} {:>15} {:>14} {:{}}{}{}{}", time_ns / kNsPerSecond, time_ns % kNsPerSecond,
              fmt::format("{}/{}", thread.first, thread.second), duration, "",
              2 * std::min(depth, kMaxIndentedDepth), before, make_valid_utf8(name), behind);
}

bool CallTree::add(const Event& event, const Reader& reader, TextBuffer& out) {
  const auto duration = call_event(event, reader);
  if (!duration) return false;
  OpenCalls& open = threads_[duration->thread];
  const bool is_in_order = open.advance(duration->begin_ns, [](const OpenCalls::Call&) {});
  const std::uint64_t time_ns = std::max(duration->begin_ns, open.last_ns());
  if (duration->is_end()) {
    return open.end(time_ns, [&](const OpenCalls::Call& call) {
      if (call.awaits_end)
        append(duration->thread, time_ns, microseconds(call.total_ns()), open.depth(), "} ",
               *names_[call.name], "", out);
    });
  }
  // The calls around a duration that comes after later events are unknown.
  const bool is_alone = duration->is_complete() && !is_in_order;
  append(duration->thread, duration->begin_ns,
         duration->is_begin() ? std::string() : microseconds(duration->end_ns - duration->begin_ns),
         is_alone ? 0 : open.depth(), "", event.name.text, duration->is_begin() ? " {" : "", out);
  if (!is_alone)
    open.push({.name = index_of(event.name.text),
               .begin_ns = time_ns,
               .end_ns = duration->end_ns,
               .awaits_end = duration->is_begin()});
  return true;
}

}  // namespace fxt::tools
