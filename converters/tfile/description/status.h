// The `status` line: why the recording stopped, what the buffer held, when and by whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert::tfile {

enum class StopReason : std::uint8_t {
  NotRun,
  Command,
  Full,
  Disconnected,
  PassCount,
  Error,
  Unknown,
};
std::string_view name_of(StopReason reason);  // "tstop", "tfull", …: GDB's words

// Fact sheet, section 2.3. Times are microseconds of the clock of `$trace_timestamp`.
struct Status {
  bool running = false;
  std::optional<StopReason> reason;
  std::string stop_text;                                  // the note of tstop, the message of an error
  std::optional<std::uint64_t> stop_tracepoint;           // of a pass count or an error
  std::optional<std::uint64_t> frames;                    // in the buffer when saved
  std::optional<std::uint64_t> frames_created;            // ever; more than `frames` in a circular buffer
  std::optional<std::uint64_t> buffer_free, buffer_size;  // bytes
  bool circular = false;
  bool disconnected = false;  // the recording goes on when GDB goes away
  std::optional<std::uint64_t> start_us, stop_us;
  std::string user, notes;
  std::vector<std::pair<std::string, std::string>> others;  // fields unknown to us, as written

  // "stopped by tstop: done", "buffer full", "running": for people.
  std::string describe() const;
};

// `payload` is what follows "status ". Fields that can't be read are added to `problems`; the others count.
Status read_status(std::string_view payload, std::vector<std::string>& problems);

}  // namespace convert::tfile
