#include "tests/model/example_format/calls_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/text_file.h"
#include "fxt/support/file_place.h"

namespace convert::example {
namespace {

constexpr std::string_view kFirstLine = "calls 1";

struct CallLine {
  std::uint64_t time_ns, tid;
  std::string_view function;  // empty if the call returns
};

// Reads the file line by line. Only one block of the file is in memory.
class CallLines {
 public:
  explicit CallLines(const std::string& path) : window_(fxt::FilePlace(path), FileWindow::EarlyEnd::End) {
    next();  // reads the first line
  }

  std::optional<std::string_view> next() {
    constexpr std::size_t kMaxBytes = 4096;  // a longer line is read as several lines
    const auto bytes = window_.at_least(kMaxBytes);
    if (bytes.empty()) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string_view line = text.substr(0, std::min(text.find('\n'), kMaxBytes));
    window_.consume(std::min(line.size() + 1, bytes.size()));
    ++number_;
    return line;
  }
  // Throws InputError if the line is invalid.
  CallLine parse(std::string_view text) const {
    LineReader line(text, window_.path(), number_);
    CallLine call{};
    call.time_ns = line.decimal("time");
    line.expect(" ");
    call.tid = line.decimal("thread");
    if (call.time_ns >= kTimeLimitNs) line.fail("this time is too late to be drawn");
    if (line.accept(" > "))
      call.function = line.word("function");
    else
      line.expect(" <");
    return call;
  }

  const std::string& path() const { return window_.path(); }
  Location here() const { return Location::line(path(), number_); }
  std::uint64_t offset() const { return window_.offset(); }
  std::uint64_t size() const { return window_.size(); }

 private:
  FileWindow window_;
  std::uint64_t number_ = 0;
};

// Fills the lanes of all threads. A thread that is not shown has no lane.
class CallSource : public Source {
 public:
  CallSource(const std::string& path, std::map<std::uint64_t, Lane*> lanes, ImportContext& context)
      : lines_(path),
        lanes_(std::move(lanes)),
        names_(context.names),
        notes_(context.timeline.new_notes()),
        stats_(context.stats) {}

  bool pump(const PumpBudget& budget) override {
    const std::uint64_t before = lines_.offset();
    std::uint64_t records = 0;
    std::optional<std::string_view> text;
    while (records * sizeof(PendingEvent) < budget.bytes && (text = lines_.next())) {
      emit(*text);
      ++records;
    }
    if (!text) end_open_calls();
    stats_.add_read(lines_.offset() - before, records);
    return text.has_value();
  }
  std::uint64_t watermark_ns() const override { return now_ns_; }

 private:
  void emit(std::string_view text) try {
    const CallLine call = lines_.parse(text);
    if (call.time_ns < now_ns_) notes_.add(kTimeWentBack, lines_.here(), text);
    now_ns_ = std::max(now_ns_, call.time_ns);
    const auto found = lanes_.find(call.tid);
    if (found == lanes_.end()) return;
    Lane& lane = *found->second;
    if (!call.function.empty())
      lane.begin(now_ns_, names_.intern_label("calls", call.function));
    else if (lane.depth() > 0)
      lane.end(now_ns_);
    else
      notes_.add(kExitWithoutCall, lines_.here(), text);
  } catch (const InputError& error) {
    notes_.add(kDamagedLine, [&] { return std::string(error.what()); });
  }
  void end_open_calls() {
    for (const auto& [tid, lane] : lanes_)
      for (; lane->depth() > 0; lane->end(now_ns_))
        notes_.add(kOpenAtEnd, Location::file(lines_.path()),
                   names_.text(names_.label(lane->calls().back().event->label).name));
  }

  CallLines lines_;
  std::map<std::uint64_t, Lane*> lanes_;  // by tid
  Names& names_;
  Notes& notes_;
  ImportStats& stats_;
  std::uint64_t now_ns_ = 0;
};

// Counts the lines of each thread, because the Timeline needs all threads before the first event.
std::map<std::uint64_t, std::uint64_t> count_lines(CallLines& lines) {
  std::map<std::uint64_t, std::uint64_t> by_tid;
  while (const auto text = lines.next()) {
    try {
      ++by_tid[lines.parse(*text).tid];
    } catch (const InputError&) {
      continue;  // CallSource adds a note for this line
    }
  }
  return by_tid;
}

class CallsImporter : public Importer {
 public:
  std::string_view name() const override { return "call list"; }
  std::vector<Option> options() override { return {}; }
  bool recognizes(const std::filesystem::path& input) const override {
    return read_text_file(fxt::FilePlace(input), kFirstLine.size()) == kFirstLine;
  }

  void import(const std::filesystem::path& input, ImportContext& context) const override {
    CallLines lines(input.native());
    const auto by_tid = count_lines(lines);
    if (by_tid.empty()) throw InputError(Location::file(input.native()), "no call can be read");
    context.timeline.begin_input(input.native());
    std::map<std::uint64_t, Lane*> shown;
    std::vector<Lane*> lanes;
    for (const auto& [tid, count] : by_tid) {
      if (!context.shows_thread(tid)) continue;
      lanes.push_back(&context.timeline.add_lane({.process = ProcessId{kFirstMadeUpId},
                                                  .thread = ThreadId{tid},
                                                  .process_name = input.filename().native(),
                                                  .thread_name = {},
                                                  .weight = count}));
      shown[tid] = lanes.back();
    }
    context.stats.bytes_total += lines.size();
    if (lanes.empty()) return;
    context.timeline.add_source(std::make_unique<CallSource>(input.native(), std::move(shown), context),
                                lanes);
  }

  Outline inspect(const std::filesystem::path& input, Notes& /*notes*/) const override {
    CallLines lines(input.native());
    Outline threads = Outline::array();
    for (const auto& [tid, count] : count_lines(lines)) threads.push_back({{"tid", tid}, {"lines", count}});
    return {{"input", input.native()}, {"kind", name()}, {"threads", std::move(threads)}};
  }
};

}  // namespace

std::unique_ptr<Importer> make_importer() { return std::make_unique<CallsImporter>(); }

}  // namespace convert::example
