// The formats in which traces are written: FXT, and formats that are made from FXT records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fxt/support/compressed_files.h"

namespace fxt::tools {

// True if the first word of the file, after decompression, is the magic word of FXT. Throws FileError if it
// can't be read.
bool is_fxt(const std::string& path);

// The kind of file that a program writes, and which it may therefore replace.
struct FileKind {
  bool (*is_one)(const std::string& path) = is_fxt;
  std::string_view name = "an FXT trace";
};

// Receives a trace from a Writer, and sends it on in another format. If the trace has several files, each
// file has its own stream, which receives a complete trace.
class FormatStream : public ByteStream {
 public:
  // The number of records that the format can't represent.
  virtual std::uint64_t left_out() const = 0;
};

struct TraceFormat {
  std::string_view word = {};    // word for options: "json"
  std::string_view suffix = {};  // suffix of names, such as ".json"; a suffix of compressed files may follow
  std::string_view text = {};    // for messages: "a JSON trace"
  FileKind kind = {};
  bool is_text = false;  // may be written to a terminal
  // Complete events may have the same start. If true, readers of the format then show the longer event around
  // the shorter one. If false, the order in the file decides.
  bool is_exact_in_pairs = false;
  // Returns a stream that sends the bytes of the format to `next`. For FXT itself, this pointer is null.
  std::unique_ptr<FormatStream> (*convert)(std::unique_ptr<ByteStream> next) = nullptr;
};

// All formats. The first is FXT.
std::span<const TraceFormat> trace_formats();
inline const TraceFormat& fxt_format() { return trace_formats().front(); }

// The format that the suffix of the file name suggests; FXT if it suggests none.
const TraceFormat& format_of(std::string_view path);

}  // namespace fxt::tools
