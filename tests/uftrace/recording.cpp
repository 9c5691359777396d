#include "tests/uftrace/recording.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "converters/uftrace/importer.h"
#include "converters/uftrace/inspect.h"
#include "tests/model/event_text.h"
#include "tests/number_bytes.h"

namespace convert::uftrace {
namespace {

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

// Pads the text to a multiple of 8 bytes. The padding is garbage, as in recordings.
std::string padded_text(std::string_view bytes) {
  std::string text(bytes);
  text.resize((bytes.size() + 7) / 8 * 8, '\x77');
  return text;
}

}  // namespace

RecordingBuilder::RecordingBuilder() {
  std::string name = (std::filesystem::temp_directory_path() / "recording-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
  task_line("SESS timestamp=0.000000001 pid=100 sid=0123456789abcdef exename=\"/bin/demo\"");
  task_line("TASK timestamp=0.000000002 tid=100 pid=100");
  file("sid-0123456789abcdef.map",
       "00400000-00402000 r-xp 00000000 00:00 0 /bin/demo\n"
       "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n");
  file("demo.sym",
       "0000000000001000 00000100 T main\n0000000000001100 00000100 T f\n0000000000001200 00000100 T g\n"
       "0000000000001300 00000100 T _setjmp\n0000000000001400 00000100 T fork\n");
}

RecordingBuilder::~RecordingBuilder() { std::filesystem::remove_all(path_); }

RecordingBuilder& RecordingBuilder::thread(std::uint64_t tid) {
  tid_ = tid;
  records_[tid];
  return *this;
}
RecordingBuilder& RecordingBuilder::word(std::uint64_t word) {
  records_[tid_] += number_bytes(word, order_);
  return *this;
}
RecordingBuilder& RecordingBuilder::bytes(std::string_view bytes) {
  records_[tid_] += bytes;
  return *this;
}

// The fields of a record are type (bits 0-1), more (2), magic 5 (3-5), depth (6-15) and address (16-63).
RecordingBuilder& RecordingBuilder::record(std::uint64_t time_ns, std::uint64_t type, bool more,
                                           std::uint64_t depth, std::uint64_t address) {
  constexpr std::uint64_t kMagic = 5 * 8, kMore = 4, kDepthUnit = 64, kAddressUnit = 65536;
  // Like the recorder, adds the fields without masks. Therefore, a depth of 1024 overflows into the address.
  return word(time_ns).word(type + (more ? kMore : 0) + kMagic + depth * kDepthUnit + address * kAddressUnit);
}
RecordingBuilder& RecordingBuilder::entry(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address) {
  return record(time_ns, 0, false, depth, address);
}
RecordingBuilder& RecordingBuilder::exit(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address) {
  return record(time_ns, 1, false, depth, address);
}
RecordingBuilder& RecordingBuilder::entry_with_payload(std::uint64_t time_ns, std::uint64_t depth,
                                                       std::uint64_t address, std::size_t payload) {
  return record(time_ns, 0, true, depth, address).bytes(std::string(payload, '\x5d'));
}
RecordingBuilder& RecordingBuilder::entry_with(std::uint64_t time_ns, std::uint64_t depth,
                                               std::uint64_t address, std::string_view payload) {
  return record(time_ns, 0, true, depth, address).bytes(padded_text(payload));
}
RecordingBuilder& RecordingBuilder::exit_with(std::uint64_t time_ns, std::uint64_t depth,
                                              std::uint64_t address, std::string_view payload) {
  return record(time_ns, 1, true, depth, address).bytes(padded_text(payload));
}
RecordingBuilder& RecordingBuilder::event_with(std::uint64_t time_ns, std::uint64_t id,
                                               std::string_view data) {
  record(time_ns, 3, true, 0, id);
  return bytes(
      padded_text(number_bytes(static_cast<std::uint16_t>(data.size()), order_) + std::string(data)));
}
RecordingBuilder& RecordingBuilder::info_line(std::string_view line) {
  info_lines_ += std::string(line) + "\n";
  return *this;
}
RecordingBuilder& RecordingBuilder::lost(std::uint64_t count) { return record(0, 2, false, 0, count); }
RecordingBuilder& RecordingBuilder::event(std::uint64_t time_ns, std::uint64_t id, std::size_t size) {
  record(time_ns, 3, size != 0, 0, id);
  if (size == 0) return *this;
  std::string data = number_bytes(static_cast<std::uint16_t>(size), order_) + std::string(size, '\x11');
  data.resize((data.size() + 7) / 8 * 8, '\x77');
  return bytes(data);
}
RecordingBuilder& RecordingBuilder::task_line(std::string_view line) {
  task_lines_.emplace_back(line);
  return *this;
}
RecordingBuilder& RecordingBuilder::file(std::string_view name, std::string_view content) {
  files_[std::string(name)] = content;
  return *this;
}

RecordingBuilder& RecordingBuilder::without(std::string_view name) {
  absent_.emplace(name);
  return *this;
}

std::string RecordingBuilder::info() const {
  std::string tids;
  for (const auto& [tid, records] : records_) tids += fmt::format("{}{}", tids.empty() ? "" : ",", tid);
  const std::uint64_t masks = 1 << 7;  // TASKINFO
  return std::string("Ftrace!\0", 8) + number_bytes(std::uint32_t{4}, order_) +
         number_bytes(std::uint16_t{40}, order_) + (order_ == std::endian::little ? '\1' : '\2') + '\2' +
         number_bytes(features_, order_) + number_bytes(masks, order_) + number_bytes(max_stack_, order_) +
         std::string(6, '\0') +
         fmt::format("taskinfo:lines=2\ntaskinfo:nr_tid={}\ntaskinfo:tids={}\n", records_.size(), tids) +
         (elapsed_.empty() ? "" : "elapsed_time:" + elapsed_ + " sec\n") + utc_offset_ + info_lines_;
}

void RecordingBuilder::write_files() const {
  std::string tasks;
  for (const std::string& line : task_lines_) tasks += line + "\n";
  write_file(path_ / "task.txt", tasks);
  write_file(path_ / "info", info());
  for (const auto& [name, content] : files_) write_file(path_ / name, content);
  for (const auto& [tid, records] : records_) write_file(path_ / fmt::format("{}.dat", tid), records);
  for (const std::string& name : absent_) std::filesystem::remove(path_ / name);
}

std::vector<std::string> RecordingBuilder::lines(const ImportOptions& options, const RecordingOptions& own) {
  write_files();
  Names names;
  Notes notes;
  ImportStats stats;
  Timeline timeline({.lanes = {.limits = kTestLanes.limits, .durations = durations_},
                     .lookahead_bytes = lookahead_bytes_,
                     .jobs = jobs_,
                     .is_split = is_split_},
                    notes);
  ImportContext context{names, notes, timeline, stats, options};
  import(path_, context, own);
  EventText text(names);
  timeline.run(text, [] {});
  threads_ = text.threads();
  if (const auto& view = timeline.totals().first_view)
    span_of_calls_ = {view->span.begin_ns, view->span.end_ns};
  keep(notes);
  std::vector<std::string> lines;
  description_.clear();
  // Every trace contains a description of the recording. The description has its own tests, so it is stored
  // separately.
  for (const std::string& line : text.lines()) {
    const bool is_described = line.find("event:uftrace info") != std::string::npos ||
                              line.find(" blob uftrace/") != std::string::npos;
    (is_described ? description_ : lines).push_back(line);
  }
  return lines;
}

nlohmann::ordered_json RecordingBuilder::inspected() {
  write_files();
  Notes notes;
  const Outline outline = inspect(path_, notes);
  keep(notes);
  return outline;
}

void RecordingBuilder::keep(const Notes& notes) {
  notes_.clear();
  for (const Notes::Group& group : notes.groups()) {
    notes_.push_back(fmt::format("{} {}", group.kind->name, group.count));
    for (std::string first : group.first) {
      if (const auto at = first.find(path_.string()); at != std::string::npos)
        first.replace(at, path_.string().size(), "DIR");
      notes_.push_back(first);
    }
  }
}

std::vector<std::string> RecordingBuilder::notes() const { return notes_; }

}  // namespace convert::uftrace
