// Writes traces as Chrome's trace events: JSON for speedscope, chrome://tracing, Perfetto and scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/reading/pushed_records.h"
#include "fxt/records.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/text.h"
#include "fxt/tools/trace_format.h"

namespace fxt::tools {

// True if the file, after decompression, begins like the files that JsonStream writes. Throws FileError if it
// can't be read.
bool is_json_trace(const std::string& path);

// Receives a trace from a Writer, with times in ns, and sends it on as JSON. The memory does not grow with
// the length of the trace.
//
// Each event becomes an object, in the order of the trace. Names of processes and threads become metadata.
// Times are exact: microseconds with three digits. A begin and an end with the same time become one complete
// event. Numbers that JavaScript can't represent, addresses and bytes become texts. Other records can't be
// represented in JSON, and are counted.
class JsonStream final : public FormatStream {
 public:
  explicit JsonStream(std::unique_ptr<ByteStream> next);
  void write(std::span<const std::byte> bytes) override;
  void finish() override;
  std::uint64_t left_out() const override { return left_out_; }

 private:
  void add(const Record& record);
  void add_event(const Event& event);
  void add_name(const KernelObject& object);
  // Ends the latest open call that began on the thread of `event` at the time of `event`. Returns false if
  // there is no such call.
  bool end_at_begin(const Event& event);
  // Starts an object about this thread or process. Returns the position of the phase in `text_`.
  std::size_t begin_object(std::string_view phase, std::uint64_t process,
                           std::optional<std::uint64_t> thread);
  void send();

  // A begin event in `text_`, which becomes a complete event if its end has the same time.
  struct Begin {
    Thread thread;
    std::size_t phase;  // position of the phase's letter
    std::size_t end;
    bool has_members;
  };

  std::unique_ptr<ByteStream> next_;
  PushedRecords records_;
  TextBuffer text_;            // not sent yet
  std::vector<Begin> begins_;  // begin events without an end so far, at the time of the latest event
  std::uint64_t begins_time_ = 0;
  bool has_objects_ = false;
  // The name of the previous record if it was a blob, because large blobs have several records.
  std::string blob_;
  std::uint64_t left_out_ = 0;
};

}  // namespace fxt::tools
