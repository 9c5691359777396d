#include "tests/tfile/trace_builder.h"

#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <span>
#include <unistd.h>

#include "converters/tfile/importer.h"
#include "tests/model/event_text.h"

namespace convert::tfile {
namespace {

class NoThreads : public CallHistory {
 public:
  std::vector<const Lane*> lanes() const override { return {}; }
  bool records_ends() const override { return true; }
  std::vector<MarkPosition> positions(const Lane& /*lane*/,
                                      std::span<const MarkWindow> /*windows*/) override {
    return {};
  }
};

}  // namespace

void describe_tick(TraceBuilder& t) {
  t.line("R 40").line("status 0;tstop::0;tframes:2;tcreated:2").line(kStamp).line(kHits);
  t.line("tp T2:401000:E:0:0").line("tp A2:401000:M-1,404040,8");
  t.line("tp A2:401000:X00000008,2c00012e00012927").source("2:401000", "at", "tick");
  t.source("2:401000", "cmd", "collect g_hash").source("2:401000", "cmd", "collect $trace_timestamp");
}

std::string hex_of(std::string_view text) {
  std::string digits;
  for (const char c : text) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

std::string i386_registers(std::uint32_t eip, std::uint32_t esp) {
  std::string block(64, '\0');
  auto* const registers = reinterpret_cast<unsigned char*>(block.data());
  boost::endian::store_little_u32(registers + 16, esp);
  boost::endian::store_little_u32(registers + 32, eip);
  return block;
}

TraceBuilder::TraceBuilder() {
  std::string name = (std::filesystem::temp_directory_path() / "trace-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) std::abort();
  ::close(file);
  path_ = name;
}
TraceBuilder::~TraceBuilder() { std::filesystem::remove(path_); }

TraceBuilder& TraceBuilder::line(std::string_view line) {
  description_ += line;
  description_ += '\n';
  return *this;
}
TraceBuilder& TraceBuilder::source(std::string_view tracepoint, std::string_view type,
                                   std::string_view text) {
  return line(fmt::format("tp Z{}:{}:0:{:x}:{}", tracepoint, type, text.size(), hex_of(text)));
}

TraceBuilder& TraceBuilder::frame(std::int16_t tracepoint) {
  end_frame();
  tracepoint_ = tracepoint;
  return *this;
}
TraceBuilder& TraceBuilder::memory(std::uint64_t address, std::string_view bytes) {
  return raw("M" + number(address) + number(static_cast<std::uint16_t>(bytes.size())) + std::string(bytes));
}
TraceBuilder& TraceBuilder::variable(std::uint32_t variable, std::int64_t value) {
  return raw("V" + number(variable) + number(value));
}
TraceBuilder& TraceBuilder::registers(std::string_view bytes) { return raw("R" + std::string(bytes)); }
TraceBuilder& TraceBuilder::static_data(std::string_view bytes) {
  return raw("S" + number(static_cast<std::uint16_t>(bytes.size())) + std::string(bytes));
}
TraceBuilder& TraceBuilder::raw(std::string_view bytes) {
  (tracepoint_ == 0 ? frames_ : blocks_) += bytes;
  return *this;
}
TraceBuilder& TraceBuilder::end_frame() {
  if (tracepoint_ == 0) return *this;
  frames_ += number(tracepoint_) + number(static_cast<std::uint32_t>(blocks_.size())) + blocks_;
  blocks_.clear();
  tracepoint_ = 0;
  return *this;
}
TraceBuilder& TraceBuilder::end() { return end_frame().raw(std::string(4, '\0')); }

std::string TraceBuilder::bytes() {
  end_frame();
  return "\x7fTRACE0\n" + description_ + "\n" + frames_;
}

std::filesystem::path TraceBuilder::write() { return write(bytes()); }
std::filesystem::path TraceBuilder::write(std::string_view bytes) {
  std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path_;
}

std::vector<std::string> TraceBuilder::lines(const ImportOptions& options, const TraceFileOptions& own) {
  if (std::filesystem::file_size(path_) == 0) write();
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({.lanes = kTestLanes}, notes);
  ImportContext context{names, notes, timeline, stats, options};
  import(path_, context, own);
  if (has_call_history_) timeline.add_call_history(std::make_unique<NoThreads>());
  timeline.draw_matched_threads();
  EventText text(names);
  timeline.run(text, [] {});
  all_lines_ = text.lines();
  details_.clear();
  for (const ImportStats::Detail& detail : stats.details) details_.push_back(detail.text);
  bytes_read_ = stats.bytes_read;
  const auto& view = timeline.totals().first_view;
  first_view_ = view ? fmt::format("{}~{}", view->span.begin_ns, view->span.end_ns) : "";
  threads_ = text.threads();
  for (std::string& thread : threads_)
    if (const auto at = thread.find(" of "); at != std::string::npos) thread.resize(at);

  notes_.clear();
  for (const Notes::Group& group : notes.groups()) {
    notes_.push_back(fmt::format("{} {}", group.kind->name, group.count));
    for (std::string first : group.first) {
      if (first.starts_with(path_.string())) first.replace(0, path_.string().size(), "FILE");
      notes_.push_back(first);
    }
  }
  std::vector<std::string> lines;
  for (const std::string& line : all_lines_)
    if (line.find(" session:") == std::string::npos && line.find(" gdb/description ") == std::string::npos)
      lines.push_back(line.substr(line.find(' ') + 1));
  return lines;
}

}  // namespace convert::tfile
