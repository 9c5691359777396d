// Builds a GDB trace file from lines and blocks, and converts it to text.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/importer.h"
#include "converters/tfile/importer.h"
#include "tests/number_bytes.h"

namespace convert::tfile {

// Lines of two trace state variables: $trace_timestamp (1), which GDB computes, and $hits (2).
inline constexpr std::string_view kStamp = "tsv 1:0:1:74726163655f74696d657374616d70";
inline constexpr std::string_view kHits = "tsv 2:0:0:68697473";

class TraceBuilder {
 public:
  // Creates a file. The destructor removes the file.
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  // Adds a line to the description, with a line end.
  TraceBuilder& line(std::string_view line);
  // Adds a "tp Z" line with source text in hexadecimal.
  TraceBuilder& source(std::string_view tracepoint, std::string_view type, std::string_view text);

  // Starts a frame. Later calls add blocks to the frame.
  TraceBuilder& frame(std::int16_t tracepoint);
  TraceBuilder& memory(std::uint64_t address, std::string_view bytes);
  TraceBuilder& variable(std::uint32_t number, std::int64_t value);
  TraceBuilder& registers(std::string_view bytes);
  TraceBuilder& static_data(std::string_view bytes);
  TraceBuilder& raw(std::string_view bytes);  // adds any bytes inside a frame or between frames
  TraceBuilder& end_frame();                  // ends the frame: later bytes are between frames
  // Adds the end marker: 4 zero bytes, as GDB does.
  TraceBuilder& end();

  void big_endian() { order_ = std::endian::big; }

  std::string bytes();
  std::filesystem::path path() const { return path_; }
  // Writes the file, and returns its path. If `bytes` is given, writes these bytes.
  std::filesystem::path write();
  std::filesystem::path write(std::string_view bytes);

  // Writes and imports the file. Returns the lines of its events, except session events and the blob of the
  // description.
  std::vector<std::string> lines(const ImportOptions& options = {}, const TraceFileOptions& own = {});
  // Makes lines() import the file together with a call history that has no threads. Therefore, no thread of
  // the file has a match.
  void with_call_history() { has_call_history_ = true; }
  // The next functions return results of the last call of lines(). The notes have "<kind> <count>" for each
  // kind, and then the first texts of this kind. In a text, "FILE" replaces the path.
  const std::vector<std::string>& all_lines() const { return all_lines_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<std::string>& threads() const { return threads_; }
  const std::vector<std::string>& details() const { return details_; }  // of the report
  // The first view as "BEGIN~END", or an empty text if there is no view.
  const std::string& first_view() const { return first_view_; }

  std::uint64_t bytes_read() const { return bytes_read_; }  // from the last call of lines()

  // The bytes of a number in the byte order of the file.
  template <typename T>
  std::string number(T value) const {
    return number_bytes(value, order_);
  }

 private:
  std::filesystem::path path_;
  std::endian order_ = std::endian::little;
  std::string description_;
  std::uint64_t bytes_read_ = 0;
  std::string frames_;
  std::string blocks_;
  std::int16_t tracepoint_ = 0;
  bool has_call_history_ = false;
  std::vector<std::string> all_lines_, notes_, threads_, details_;
  std::string first_view_;
};

// Describes tracepoint 2 at `tick` (0x401000), which collects g_hash (8 bytes at 0x404040) and the time. The
// status line says that there are two frames.
void describe_tick(TraceBuilder& t);

// Returns two hexadecimal digits for each byte.
std::string hex_of(std::string_view text);

// Returns a block of 64 bytes with the general registers of i386. All registers except eip and esp are zero.
// The description needs the line `R 40`.
std::string i386_registers(std::uint32_t eip, std::uint32_t esp);

}  // namespace convert::tfile
