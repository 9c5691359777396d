// The text part of a trace file: everything before the frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/notes.h"
#include "converters/tfile/description/tracepoint.h"
#include "fxt/hash.h"

namespace convert::tfile {

inline constexpr std::string_view kMagic = "\x7fTRACE0\n";

enum class StopReason : std::uint8_t {
  NotRun,
  Command,
  Full,
  Disconnected,
  PassCount,
  Error,
  Unknown,
};

// The contents of the `status` line. Times are microseconds of the clock of `$trace_timestamp`.
struct TraceStatus {
  bool running = false;
  std::optional<StopReason> reason;
  std::string stop_text;  // the note of tstop, or the error message
  std::optional<std::uint64_t> stop_tracepoint;
  std::optional<std::uint64_t> frames;  // number of frames in the buffer when it was saved
  // The number of frames in the whole recording. A circular buffer holds only the last `frames` of them.
  std::optional<std::uint64_t> frames_created;
  std::optional<std::uint64_t> buffer_free, buffer_size;  // bytes
  bool circular = false;
  bool disconnected = false;  // the recording continues when GDB disconnects
  std::optional<std::uint64_t> start_us, stop_us;
  std::string user, notes;
  std::vector<std::pair<std::string, std::string>> others;  // unknown fields, as written

  // Returns "stopped by command: done", "buffer full" or "running", for example.
  std::string describe() const;
};

// Reads the text after "status ". Fields that can't be read are described in `problems`; the others are used.
TraceStatus read_status(std::string_view payload, std::vector<std::string>& problems);

// A trace state variable (`tsv` line).
struct TraceVariable {
  std::uint64_t number = 0;
  std::int64_t initial = 0;
  bool is_computed = false;  // the target computes the variable's value when it is read
  std::string name;          // without the $
};

struct Description {
  // The size of an R block in bytes. Files write it in hexadecimal; `register_digits` is that text.
  std::uint64_t register_block_size = 0;
  std::string register_digits;
  std::string target_xml;  // empty if the file has none
  std::optional<TraceStatus> status;
  std::vector<TraceVariable> variables;
  std::vector<TracepointLocation> locations;
  std::string text;                // all lines, as written
  std::uint64_t frames_begin = 0;  // file offset after the empty line
  bool is_complete = false;        // the text part ends with the empty line

  // Returns the number of the variable with this name. Returns nothing if there is no such variable, or if
  // the target does not compute it.
  std::optional<std::uint64_t> computed_variable(std::string_view name) const;
};

// The variables of a description by number and by name. If several variables have the same number, the first
// of them is found.
class VariableIndex {
 public:
  // `variables` must outlive the index.
  explicit VariableIndex(const std::vector<TraceVariable>& variables);

  bool has(std::string_view name) const { return by_name_.contains(name); }
  const TraceVariable* numbered(std::uint64_t number) const {
    const auto found = by_number_.find(number);
    return found != by_number_.end() ? found->second : nullptr;
  }

 private:
  fxt::SeededMap<std::uint64_t, const TraceVariable*> by_number_;
  fxt::SeededSet<std::string_view> by_name_;
};

// Reads the description line by line. The lines may come in any order.
class DescriptionReader {
 public:
  // `path` appears in notes.
  DescriptionReader(Description& description, Notes& notes, std::string_view path,
                    std::uint64_t file_bytes = 0)
      : description_(description), notes_(notes), path_(path), memory_(kDescriptionMemory, file_bytes) {}

  // Reads a line without its line end. Returns false for the empty line, after which the frames begin.
  bool read_line(std::string_view line);
  void finish();

 private:
  void read_register_size(std::string_view digits);
  void read_status_line(std::string_view payload);
  void read_variable(std::string_view payload);
  void damaged(std::string_view problem);

  Description& description_;
  Notes& notes_;
  std::string_view path_;
  fxt::Budget memory_;
  TracepointReader tracepoints_{memory_};
  std::uint64_t line_number_ = 1;
};

}  // namespace convert::tfile
