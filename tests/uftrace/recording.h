// Builds a uftrace recording, record by record, and returns the converted events.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "converters/model/importer.h"
#include "converters/uftrace/importer.h"

namespace convert::uftrace {

class RecordingBuilder {
 public:
  // Makes a temporary directory, which is removed with this object. Process 100 runs the program "demo" with
  // the functions `main` (0x1000), `f` (0x1100), `g` (0x1200), `_setjmp` (0x1300) and `fork` (0x1400).
  RecordingBuilder();
  ~RecordingBuilder();
  RecordingBuilder(const RecordingBuilder&) = delete;
  RecordingBuilder& operator=(const RecordingBuilder&) = delete;

  static constexpr std::uint64_t kMain = 0x401000, kF = 0x401100, kG = 0x401200, kSetjmp = 0x401300,
                                 kFork = 0x401400;

  RecordingBuilder& entry(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address);
  RecordingBuilder& exit(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address);
  // Adds an entry with the `more` bit and a payload of `payload` garbage bytes.
  RecordingBuilder& entry_with_payload(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address,
                                       std::size_t payload);
  // Adds a record with these bytes as its payload. The payload is padded.
  RecordingBuilder& entry_with(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address,
                               std::string_view payload);
  RecordingBuilder& exit_with(std::uint64_t time_ns, std::uint64_t depth, std::uint64_t address,
                              std::string_view payload);
  RecordingBuilder& lost(std::uint64_t count);
  // Adds an event with `size` bytes of data. If `size` is 0, the record has no `more` bit.
  RecordingBuilder& event(std::uint64_t time_ns, std::uint64_t id, std::size_t size);
  RecordingBuilder& event_with(std::uint64_t time_ns, std::uint64_t id, std::string_view data);
  RecordingBuilder& word(std::uint64_t word);
  RecordingBuilder& bytes(std::string_view bytes);
  // Selects the thread whose records the following calls add.
  RecordingBuilder& thread(std::uint64_t tid);
  RecordingBuilder& task_line(std::string_view line);
  RecordingBuilder& file(std::string_view name, std::string_view content);
  RecordingBuilder& without(std::string_view name);

  void estimated_exits() { features_ |= 1 << 11; }
  void big_endian() { order_ = std::endian::big; }
  void max_stack(std::uint16_t depth) { max_stack_ = depth; }
  // Reads files in the smallest possible blocks, with two threads.
  void small_blocks() {
    lookahead_bytes_ = 1;
    jobs_ = 2;
  }
  // Converts the recording as if the output were split into pieces.
  void split() { is_split_ = true; }
  // Writes each call as a pair of a start and an end.
  void pairs() { durations_ = DurationForm::Pairs; }
  // Sets the length of the recording in the file info. By default, info has no length.
  void elapsed(std::string_view seconds) { elapsed_ = seconds; }

  // Sets the line utc_offset of the file info. By default, info has no such line.
  void utc_offset(std::string_view seconds) { utc_offset_ = "utc_offset:" + std::string(seconds) + "\n"; }

  // Adds a line to the file info, such as "argspec:f@arg1".
  RecordingBuilder& info_line(std::string_view line);

  std::filesystem::path path() const { return path_; }
  // Writes all files, converts them, and returns the events.
  std::vector<std::string> lines(const ImportOptions& options = {},
                                 const RecordingOptions& own = {.cpu_tracks = true});

  // Returns the range that viewers show first: from the first start to the last end of program calls in the
  // last lines().
  std::pair<std::uint64_t, std::uint64_t> span_of_calls() const { return span_of_calls_; }
  // Returns the description of the recording in the last lines(): an instant, and text files as blobs.
  std::vector<std::string> description() const { return description_; }

  nlohmann::ordered_json inspected();

  // Returns the notes of the last lines() or inspected(): for each kind, "<kind> <count>" and its first
  // notes. "DIR" is the directory.
  std::vector<std::string> notes() const;
  std::vector<std::string> threads() const { return threads_; }

 private:
  RecordingBuilder& record(std::uint64_t time_ns, std::uint64_t type, bool more, std::uint64_t depth,
                           std::uint64_t address);
  void write_files() const;
  void keep(const Notes& notes);
  std::string info() const;

  std::filesystem::path path_;
  std::uint64_t features_ = 0x63;  // PLTHOOK, TASK_SESSION, SYM_REL_ADDR, MAX_STACK
  std::endian order_ = std::endian::little;
  std::uint16_t max_stack_ = 1024;
  std::size_t lookahead_bytes_ = std::size_t{16} << 20;
  std::size_t jobs_ = 1;
  bool is_split_ = false;
  DurationForm durations_ = DurationForm::Mixed;
  std::string elapsed_, utc_offset_;
  std::string info_lines_;
  std::uint64_t tid_ = 100;
  std::map<std::uint64_t, std::string> records_;  // by tid
  std::vector<std::string> task_lines_;
  std::map<std::string, std::string> files_;
  std::set<std::string> absent_;
  std::vector<std::string> notes_, description_;
  std::vector<std::string> threads_;
  std::pair<std::uint64_t, std::uint64_t> span_of_calls_;
};

}  // namespace convert::uftrace
