// Pieces of a trace, in memory and as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/cutter.h"
#include "fxt/ordered_reader.h"
#include "fxt/tools/record_text.h"
#include "tests/fxt/check_words.h"
#include "tests/fxt/trace_words.h"

namespace fxt::test {

class MemoryPieces : public PieceOutputs {
 public:
  Output& next(std::size_t number) override {
    EXPECT_EQ(number, outputs_.size());
    return outputs_.emplace_back();
  }
  std::vector<Words> words() const {
    std::vector<Words> all;
    for (const MemoryOutput& output : outputs_)
      all.emplace_back(output.words().begin(), output.words().end());
    return all;
  }

 private:
  std::deque<MemoryOutput> outputs_;
};

struct Cuts {
  std::vector<Words> pieces;
  CutCounters counters;
};

inline Cuts cut(const Words& trace, const CutOptions& options) {
  MemoryPieces pieces;
  Cutter cutter(options, pieces);
  OrderedReader reader(std::as_bytes(std::span(trace)));
  while (const Entry* const entry = reader.next()) cutter.add(*entry, reader.reader());
  cutter.finish();
  return {pieces.words(), cutter.counters()};
}

// Returns the lines that fxt-dump prints for the records, without the records at the start of the trace, and
// without string and thread records.
inline std::string text_of(const Words& words) {
  Reader reader(std::as_bytes(std::span(words)));
  TextBuffer text;
  for (const Entry& entry : reader) {
    if (std::holds_alternative<Magic>(entry.record) || std::holds_alternative<ProviderInfo>(entry.record) ||
        std::holds_alternative<Initialization>(entry.record) ||
        std::holds_alternative<StringRecord>(entry.record) ||
        std::holds_alternative<ThreadRecord>(entry.record))
      continue;
    tools::append_line(text, entry);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

inline std::vector<std::string> texts_of(const Cuts& cuts) {
  std::vector<std::string> texts;
  for (const Words& piece : cuts.pieces) texts.push_back(text_of(piece));
  return texts;
}

// Unless a test names another thread, all events are from one thread.
namespace cutting {

inline constexpr Thread kThread{.process = 1, .thread = 2}, kOther{.process = 1, .thread = 3};

inline Event event(EventType type, std::uint64_t time, std::string_view name,
                   const Thread& thread = kThread) {
  return {.type = type, .time = time, .thread = thread, .category = "c", .name = name};
}
inline Event complete(std::uint64_t begin, std::uint64_t end, std::string_view name,
                      const Thread& thread = kThread) {
  Event call = event(EventType::DurationComplete, begin, name, thread);
  call.end = end;
  return call;
}
inline Event begin(std::uint64_t time, std::string_view name, const Thread& thread = kThread) {
  return event(EventType::DurationBegin, time, name, thread);
}
inline Event end(std::uint64_t time, std::string_view name, const Thread& thread = kThread) {
  return event(EventType::DurationEnd, time, name, thread);
}

}  // namespace cutting
}  // namespace fxt::test
