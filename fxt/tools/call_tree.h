// fxt-dump --tree: prints calls in the order of their starts, indented by their depth.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/reader.h"
#include "fxt/support/program.h"
#include "fxt/support/text.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

// Prints a header, and a line for each call: start, process and thread, length and name. A call with separate
// begin and end events gets two lines, with `{` and `}`. Calls are clipped to the range.
class CallTree : private CallListener {
 public:
  // `unit` is the unit of lengths; Auto means microseconds.
  CallTree(const Selection& selection, TimeUnit unit, StandardOutput& out)
      : unit_(unit == TimeUnit::Auto ? TimeUnit::Us : unit), out_(&out), calls_(selection, *this) {}
  void add(const Entry& entry, const Reader& reader) { calls_.add(entry, reader); }
  void finish() { calls_.finish(); }
  std::vector<std::string> notes() const { return calls_.notes(); }

 private:
  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  void print_begins(CallTrack& thread);
  void print(const CallTrack& thread, std::uint64_t time_ns, std::string_view length, std::size_t depth,
             std::string_view before, const Call& call, std::string_view behind);

  void print_header();

  TimeUnit unit_;
  StandardOutput* out_;
  CallStream calls_;
  bool has_header_ = false;
  std::vector<std::size_t> printed_;  // by thread: number of its chosen open calls that have been printed
};

// Deeper calls are not indented further. Otherwise a line would need as many bytes as calls are open.
inline constexpr std::size_t kMaxIndentedDepth = 512;

inline void append_blanks(TextBuffer& out, std::size_t count) {
  constexpr std::string_view kBlanks = "                                                                ";
  for (; count > kBlanks.size(); count -= kBlanks.size()) append_text(out, kBlanks);
  append_text(out, kBlanks.substr(0, count));
}

inline void append_right(TextBuffer& out, std::string_view text, std::size_t width) {
  append_blanks(out, width - std::min(text.size(), width));
  append_text(out, text);
}

inline void CallTree::print_header() {
  append(out_->text(), "# {:>16} {:>15} {:>14} {}", "start (s)", "process/thread",
         fmt::format("length ({})", name_of(unit_)), "name");
  out_->line_done();
  has_header_ = true;
}

inline void CallTree::print(const CallTrack& thread, std::uint64_t time_ns, std::string_view length,
                            std::size_t depth, std::string_view before, const Call& call,
                            std::string_view behind) {
  if (!has_header_) print_header();
  TextBuffer& out = out_->text();
  append_right(out, time_in(TimeUnit::S, time_ns), 18);
  out.push_back(' ');
  if (thread.thread.first == kUnregistered) {
    append_right(out, numbers_of(thread.thread), 15);
  } else {
    const fmt::format_int process(thread.thread.first), koid(thread.thread.second);
    append_right(out, {process.data(), process.size()}, 15 - std::min<std::size_t>(14, koid.size() + 1));
    out.push_back('/');
    append_text(out, {koid.data(), koid.size()});
  }
  append_right(out, length, 15);
  append_blanks(out, 1 + 2 * std::min(depth, kMaxIndentedDepth));
  append_text(out, before);
  append_printable(out, call.name());
  append_text(out, behind);
  out_->line_done();
}

// Calls that began before the range are printed before the first event inside them.
inline void CallTree::print_begins(CallTrack& thread) {
  std::size_t& printed = printed_[thread.index];
  auto first = thread.calls.cend();  // the first call that has not been printed yet
  for (std::size_t left = thread.chosen - printed; left > 0;)
    if ((--first)->is_chosen) --left;
  for (; first != thread.calls.cend(); ++first) {
    if (!first->is_chosen) continue;
    const Pairing::Part part = calls_.part_of(*first);
    if (first->is_pair)
      print(thread, std::max(first->start_ns, calls_.window().from()), "", printed, "", *first, " {");
    else
      print(thread, part.begin_ns, time_in(unit_, part.length_ns()), printed, "", *first, "");
    ++printed;
  }
}

inline void CallTree::started(CallTrack& thread, Call& call, const Event&) {
  if (thread.index >= printed_.size()) printed_.resize(thread.index + 1);
  if (!call.is_chosen || call.start_ns > calls_.window().to()) return;
  if (call.is_pair ? call.start_ns >= calls_.window().from() : !calls_.part_of(call).is_empty)
    print_begins(thread);
}

inline void CallTree::ended(CallTrack& thread, const Call& call) {
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen) return;
  std::size_t& printed = printed_[thread.index];
  if (call.is_pair && !part.is_empty) {
    if (printed <= thread.chosen) {
      print_begins(thread);
      print(thread, part.begin_ns, "", thread.chosen, "", call, " {");
    }
    if (call.has_end)
      print(thread, part.end_ns, time_in(unit_, part.length_ns()), thread.chosen, "} ", call, "");
  }
  printed = std::min(printed, thread.chosen);
}

}  // namespace fxt::tools
