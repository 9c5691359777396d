// Cuts any bytes as a trace. Each piece must be readable. A piece may have only two kinds of problems: events
// that end before they start, and arguments of unknown types.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>

#include "fxt/cutter.h"
#include "fxt/ordered_reader.h"
#include "fxt/reader.h"

namespace {

struct TooMany {};

void require_sound(std::span<const std::uint64_t> words) {
  fxt::Reader reader(std::as_bytes(words));
  for (const fxt::Entry& entry : reader)
    for (const fxt::Problem& problem : entry.problems)
      if (problem.kind != fxt::ProblemKind::EndBeforeBegin &&
          problem.kind != fxt::ProblemKind::UnknownArgumentType)
        std::abort();
  if (reader.end().reason != fxt::ReadEnd::Reason::EndOfFile) std::abort();
}

class Pieces : public fxt::PieceOutputs {
 public:
  fxt::Output& next(std::size_t number) override {
    constexpr std::size_t kMost = 100;
    if (piece_) require_sound(piece_->words());
    if (number == kMost) throw TooMany();
    return *(piece_ = std::make_unique<fxt::MemoryOutput>());
  }
  void check_last() const { require_sound(piece_->words()); }

 private:
  std::unique_ptr<fxt::MemoryOutput> piece_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The input starts with four numbers of 8 bytes: the start and the end of the range, and the length and the
  // size of pieces.
  std::array<std::uint64_t, 4> asked = {};
  const std::size_t head = std::min(size, sizeof(asked));
  if (head != 0) std::memcpy(asked.data(), data, head);
  fxt::CutOptions options{.split_ns = asked[2], .split_bytes = asked[3]};
  // If the top bit of a time is set, the time counts from the start of the trace.
  constexpr std::uint64_t kTime = ~std::uint64_t{0} >> 1;
  if (asked[0] != 0) options.range.from = fxt::TraceTime{asked[0] & kTime, asked[0] > kTime};
  if (asked[1] != 0) options.range.to = fxt::TraceTime{asked[1] & kTime, asked[1] > kTime};

  Pieces pieces;
  fxt::Cutter cutter(options, pieces);
  fxt::OrderedReader reader(std::as_bytes(std::span(data, size)).subspan(head));
  try {
    while (const fxt::Entry* entry = reader.next()) cutter.add(*entry, reader.reader());
    cutter.finish();
    pieces.check_last();
  } catch (const TooMany&) {
  } catch (const std::invalid_argument&) {  // the range ends before it starts
    if (!options.range.from || !options.range.to) throw;
  }
  return 0;
}
