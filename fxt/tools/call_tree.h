// fxt-dump --tree: calls in the order of the file, indented by their nesting.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/program.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

// A line for each call: begin, process and thread, length and name. A call of a begin and an end event gets
// two lines, with `{` and `}`. What lies outside of the range is cut off.
class CallTree : private CallStream::Listener {
 public:
  // `unit` of lengths; Auto is microseconds.
  CallTree(const Selection& selection, TimeUnit unit, StandardOutput& out)
      : unit_(unit == TimeUnit::Auto ? TimeUnit::Us : unit), out_(&out), calls_(selection, *this) {}
  void add(const Entry& entry, const Reader& reader) { calls_.add(entry, reader); }
  void finish() { calls_.finish(); }

 private:
  void began(CallThread& thread, OpenCall& call, const Event& event) override;
  void ended(CallThread& thread, const OpenCall& call, bool is_late) override;
  void print_begins(CallThread& thread);
  void print(const CallThread& thread, std::uint64_t time_ns, std::string_view length, std::size_t depth,
             std::string_view before, const OpenCall& call, std::string_view behind);

  TimeUnit unit_;
  StandardOutput* out_;
  CallStream calls_;
  std::vector<std::size_t> printed_;  // by thread: how many of its open calls that are chosen have their line
};

}  // namespace fxt::tools
