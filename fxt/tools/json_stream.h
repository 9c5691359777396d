// Traces as Chrome's trace events: JSON that speedscope, chrome://tracing, Perfetto and scripts read.
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

// Whether a file begins as those do that JsonStream writes, after decompression. Throws FileError if it can't
// be read.
bool is_json_trace(const std::string& path);

// Receives a trace as a Writer writes it, whose times are ns, and sends it on as JSON, in memory of one
// block.
//
// Each event becomes an object, in the order of the trace; names of processes and threads become metadata.
// Times are exact: microseconds with three digits. A begin and an end of one time become one complete event.
// Numbers that JavaScript can't hold, addresses and bytes are texts. The other records have no form in JSON,
// and are counted.
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
  // Ends a call of the same thread that begins at this time; false if there is none.
  bool end_at_begin(const Event& event);
  // Begins an object on this thread, or one about the process. Returns the place of the phase in `text_`.
  std::size_t begin_object(std::string_view phase, std::uint64_t process,
                           std::optional<std::uint64_t> thread);
  void send();

  // A begin in `text_`.
  struct Begin {
    Thread thread;
    std::size_t phase;  // the place of its letter
    std::size_t end;    // of the object
    bool has_members;
  };

  std::unique_ptr<ByteStream> next_;
  PushedRecords records_;
  TextBuffer text_;            // not sent yet
  std::vector<Begin> begins_;  // at the time of the latest event, without an end
  std::uint64_t begins_time_ = 0;
  bool has_objects_ = false;
  std::string blob_;  // the name of the record before, if that was a blob: large ones have several records
  std::uint64_t left_out_ = 0;
};

}  // namespace fxt::tools
