// Reads any bytes as a trace, once from memory and once in parts. The results must be equal. Also prints and
// checks the records, and writes the records that the Writer accepts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <span>
#include <string>
#include <variant>

#include "fxt/checker.h"
#include "fxt/reader.h"
#include "fxt/tools/record_text.h"
#include "fxt/writer.h"

namespace {

class PieceInput final : public fxt::Input {
 public:
  PieceInput(std::span<const std::byte> bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}
  std::size_t read(std::span<std::byte> room) override {
    const auto piece = bytes_.first(std::min({room.size(), piece_, bytes_.size()}));
    std::ranges::copy(piece, room.begin());
    bytes_ = bytes_.subspan(piece.size());
    return piece.size();
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t piece_;
};

std::string text_of(fxt::Reader& reader) {
  fxt::TextBuffer text;
  while (const fxt::Entry* entry = reader.next()) fxt::tools::append_line(text, *entry);
  return fmt::to_string(text) + describe(reader.end());
}

void check(std::span<const std::byte> bytes) {
  fxt::Reader reader(bytes);
  fxt::Checker checker([](const fxt::Finding&) {});
  fxt::TextBuffer text;
  while (const fxt::Entry* entry = reader.next()) {
    fxt::tools::append_json(text, *entry);
    text.clear();
  }
  fxt::OrderedReader trace(bytes);
  checker.check(trace);
}

// Writes all records that the Writer accepts. The written trace must be readable. It may have only two kinds
// of problems: events that end before they start, and arguments of unknown types.
void write_again(std::span<const std::byte> bytes) {
  fxt::MemoryOutput output;
  fxt::Writer writer(output);
  fxt::Reader reader(bytes);
  while (const fxt::Entry* entry = reader.next()) {
    std::visit(
        [&writer](const auto& record) {
          if constexpr (requires { writer.write(record); }) {
            try {
              writer.write(record);
            } catch (const fxt::WriterError&) {
              return;
            }
          }
        },
        entry->record);
  }
  writer.finish();
  fxt::Reader again(std::as_bytes(output.words()));
  while (const fxt::Entry* entry = again.next())
    for (const fxt::Problem& problem : entry->problems)
      if (problem.kind != fxt::ProblemKind::EndBeforeBegin &&
          problem.kind != fxt::ProblemKind::UnknownArgumentType)
        std::abort();
  if (again.end().reason != fxt::ReadEnd::Reason::EndOfFile) std::abort();
}

}  // namespace

// The trace is read in parts of N bytes. The first byte of the input is N - 1.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  fxt::Reader whole(bytes);
  PieceInput input(bytes, data[0] + std::size_t{1});
  fxt::Reader pieces(input);
  if (text_of(whole) != text_of(pieces)) std::abort();
  check(bytes);
  write_again(bytes);
  return 0;
}
