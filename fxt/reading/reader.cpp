// Connects RecordStream, which splits a file into records, with RecordDecoder, which decodes them. Also
// counts the records.
#include "fxt/reader.h"

#include <type_traits>
#include <utility>
#include <variant>

#include "fxt/reading/reader_state.h"

namespace fxt {

std::optional<std::uint64_t> ticks_to_ns(std::uint64_t ticks, std::uint64_t ticks_per_second) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  if (ticks_per_second == kNsPerSecond) return ticks;
  if (ticks_per_second == 0) return std::nullopt;
  // in 64 bits, the product would overflow at 18 billion ticks
  __extension__ using Wide = unsigned __int128;
  const Wide ns = Wide{ticks} * kNsPerSecond / ticks_per_second;
  if (ns > ~std::uint64_t{0}) return std::nullopt;
  return static_cast<std::uint64_t>(ns);
}

std::optional<Record> in_ns(const Record& record, const Reader& reader) {
  Record converted = record;
  const bool fits = std::visit(
      [&reader]<typename T>(T& value) {
        const auto make_ns = [&reader](std::uint64_t& time) {
          const auto ns = reader.to_ns(time);
          time = ns.value_or(0);
          return ns.has_value();
        };
        bool is_in_ns = true;
        if constexpr (requires { value.time; }) is_in_ns = make_ns(value.time);
        if constexpr (std::is_same_v<T, Event>)
          if (value.type == EventType::DurationComplete) is_in_ns = make_ns(value.end) && is_in_ns;
        return is_in_ns;
      },
      converted);
  return fits ? std::optional(std::move(converted)) : std::nullopt;
}

Reader::Reader(std::span<const std::byte> memory, const ReaderOptions& options)
    : state_(std::make_unique<State>(memory, options)) {}

Reader::Reader(Input& input, const ReaderOptions& options)
    : state_(std::make_unique<State>(input, options)) {}

Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

const Entry* Reader::next() {
  State& state = *state_;
  if (!state.stream.next(state.words)) {
    const ReaderCounters& counters = state.counters;
    if (counters.records == counters.unknown_records + counters.damaged_records + counters.too_large_records)
      state.stream.end_without_known_records();
    return nullptr;
  }
  state.decoder.decode(state.words, state.entry.record);
  state.entry.offset = state.words.offset;
  state.entry.words = state.words.words;
  state.entry.problems = state.decoder.problems();
  ++state.counters.records;
  for (const Problem& problem : state.entry.problems) {
    if (problem.kind == ProblemKind::UnknownRecordType) ++state.counters.unknown_records;
    if (problem.kind == ProblemKind::TooShort) ++state.counters.damaged_records;
    if (problem.kind == ProblemKind::TooLarge) ++state.counters.too_large_records;
    if (problem.kind == ProblemKind::UnknownArgumentType) ++state.counters.unknown_arguments;
  }
  return &state.entry;
}

const ReadEnd& Reader::end() const { return state_->stream.end(); }
std::uint32_t Reader::provider_id() const { return state_->decoder.providers().current().id; }
std::string_view Reader::provider_name() const { return state_->decoder.providers().current().name; }
std::uint64_t Reader::ticks_per_second() const {
  return state_->decoder.providers().current().ticks_per_second;
}
bool Reader::other_byte_order() const { return state_->stream.other_byte_order(); }
const ReaderCounters& Reader::counters() const { return state_->counters; }

}  // namespace fxt
