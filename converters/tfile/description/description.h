// The text part of a trace file: everything before the frames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/tfile/description/status.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {

inline constexpr std::string_view kMagic = "\x7fTRACE0\n";

// A trace state variable (`tsv` line).
struct Variable {
  std::uint64_t number = 0;
  std::int64_t initial = 0;
  bool is_computed = false;  // by the target, when it is read
  std::string name;          // without the $
};

struct Description {
  // Bytes of an R block. Files give it in hexadecimal; `register_digits` is what was written.
  std::uint64_t register_block_size = 0;
  std::string register_digits;
  std::string target_xml;  // empty: none
  std::optional<Status> status;
  std::vector<Variable> variables;
  std::vector<TracepointLocation> locations;
  std::string text;                // all lines, as written
  std::uint64_t frames_begin = 0;  // file offset behind the empty line
  bool is_complete = false;        // the empty line was there
};

// Reads the description, line by line; any order of lines is fine.
class DescriptionReader {
 public:
  // Borrows all; `path` is for notes.
  DescriptionReader(Description& description, Notes& notes, std::string_view path)
      : description_(description), notes_(notes), path_(path) {}

  // One line without its end. False when it is empty: the frames follow.
  bool read_line(std::string_view line);
  // Puts together what came in pieces.
  void finish();

 private:
  void read_register_size(std::string_view digits);
  void read_status_line(std::string_view payload);
  void read_variable(std::string_view payload);
  void damaged(std::string_view problem);

  Description& description_;
  Notes& notes_;
  std::string_view path_;
  Tracepoints tracepoints_;
  std::uint64_t line_number_ = 1;  // the magic is line 1
};

}  // namespace convert::tfile
