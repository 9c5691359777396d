// Pieces of a trace, in memory and as text.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "fxt/cutter.h"
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
  Reader reader(std::as_bytes(std::span(trace)));
  for (const Entry& entry : reader) cutter.add(entry, reader);
  cutter.finish();
  return {pieces.words(), cutter.counters()};
}

// The lines of fxt-dump, without what every trace begins with, and without the tables.
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

}  // namespace fxt::test
