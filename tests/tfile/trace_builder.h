// Builds a GDB trace file by hand, line by line and block by block, and tells what the importer makes of it.
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

class TraceBuilder {
 public:
  // A file of its own, removed with this object.
  TraceBuilder();
  ~TraceBuilder();
  TraceBuilder(const TraceBuilder&) = delete;
  TraceBuilder& operator=(const TraceBuilder&) = delete;

  // A description line, without its end.
  TraceBuilder& line(std::string_view line);
  // A "tp Z" line: source text in hexadecimal.
  TraceBuilder& source(std::string_view tracepoint, std::string_view type, std::string_view text);

  // A frame begins; its blocks follow. Its size is filled in.
  TraceBuilder& frame(std::int16_t tracepoint);
  TraceBuilder& memory(std::uint64_t address, std::string_view bytes);
  TraceBuilder& variable(std::uint32_t number, std::int64_t value);
  TraceBuilder& registers(std::string_view bytes);
  TraceBuilder& static_data(std::string_view bytes);
  TraceBuilder& raw(std::string_view bytes);  // into the frame that is open, or between frames
  TraceBuilder& end_frame();                  // what follows is between frames
  // The end marker, of 4 zero bytes as GDB writes it, and nothing else is added to the file.
  TraceBuilder& end();

  void big_endian() { order_ = std::endian::big; }

  std::string bytes();
  std::filesystem::path path() const { return path_; }
  // Writes the file and returns its path; `bytes` replaces what was built.
  std::filesystem::path write();
  std::filesystem::path write(std::string_view bytes);

  // Writes and imports the file. Session records and the description's blob are left out: they have tests of
  // their own.
  std::vector<std::string> lines(const ImportOptions& options = {}, const TraceFileOptions& own = {});
  // Beside an input whose threads have calls: without any, so that each thread of the file stays apart.
  void with_host() { has_host_ = true; }
  // Of the last lines(): everything, notes ("<kind> <count>" and the first texts, the file as "FILE"),
  // threads.
  const std::vector<std::string>& all_lines() const { return all_lines_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<std::string>& threads() const { return threads_; }

  // Its bytes in the order of the file.
  template <typename T>
  std::string number(T value) const {
    return number_bytes(value, order_);
  }

 private:
  std::filesystem::path path_;
  std::endian order_ = std::endian::little;
  std::string description_;
  std::string frames_;
  std::string blocks_;
  std::int16_t tracepoint_ = 0;
  bool has_host_ = false;
  std::vector<std::string> all_lines_, notes_, threads_;
};

// Two hexadecimal digits a byte.
std::string hex_of(std::string_view text);

// 64 bytes of an i386 block of general registers: all zero but these two. With `R 40` the layout is known.
std::string i386_registers(std::uint32_t eip, std::uint32_t esp);

}  // namespace convert::tfile
