// The formats that traces are written in: FXT, and those that are made of its records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "fxt/support/compressed_files.h"

namespace fxt::tools {

// Whether the file is an FXT trace, by its first word after decompression. Throws FileError if it can't be
// read.
bool is_fxt(const std::string& path);

// The kind of file that a program writes, and so may replace.
struct FileKind {
  bool (*is_one)(const std::string& path) = is_fxt;
  std::string_view name = "FXT trace";
};

// Receives a trace as a Writer writes it, and sends it on in another format. Ranges and pieces are cut
// before: each file gets a stream of its own, which receives a whole trace.
class FormatStream : public ByteStream {
 public:
  // Records that the format has no form for.
  virtual std::uint64_t left_out() const = 0;
};

struct TraceFormat {
  std::string_view word = {};    // for options: "json"
  std::string_view suffix = {};  // of names, before that of a compressed file: ".json"
  std::string_view text = {};    // "a JSON trace"
  FileKind kind = {};
  bool is_text = false;  // may be sent to a terminal
  // Its readers nest complete events of one time by their length, and not by their order in the file.
  bool is_exact_in_pairs = false;
  // `next` receives the bytes of the format. Null for FXT itself.
  std::unique_ptr<FormatStream> (*convert)(std::unique_ptr<ByteStream> next) = nullptr;
};

// All formats. The first is FXT.
std::span<const TraceFormat> trace_formats();
inline const TraceFormat& fxt_format() { return trace_formats().front(); }

// The format that the end of a file's name promises; FXT where it promises none.
const TraceFormat& format_of(std::string_view path);

}  // namespace fxt::tools
