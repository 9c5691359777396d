// The speed of writing and reading with the library, compared with copying the same bytes.
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "fxt/checker.h"
#include "fxt/reader.h"
#include "fxt/tracer.h"
#include "fxt/writer.h"
#include "tests/bench/ready_memory.h"

namespace {

constexpr std::size_t kRecords = 1'000'000;
constexpr std::size_t kBytes = kRecords * fxt::Writer::kCompleteWords * sizeof(std::uint64_t);

std::vector<std::uint64_t> trace_words() {
  fxt::MemoryOutput output;
  fxt::Writer writer(output);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  for (std::uint64_t i = 0; i < kRecords; ++i) writer.write_complete(*event, *thread, 10 * i, 10 * i + 5);
  writer.flush();
  return {output.words().begin(), output.words().end()};
}

void set_rates(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kBytes));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRecords));
}

// For comparison: copies the bytes of the same number of records in memory.
void copy_memory(benchmark::State& state) {
  const std::vector<std::uint64_t> from(kBytes / 8, 1);
  std::vector<std::uint64_t> to(kBytes / 8, 2);
  for (auto unused : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::ClobberMemory();
  }
  set_rates(state);
}
BENCHMARK(copy_memory);

// Writes a complete event every 10 ns. `length_of` returns the length of each event.
template <typename LengthOf>
void write_each(benchmark::State& state, LengthOf length_of) {
  ReadyMemory memory(kBytes);
  fxt::Writer writer(memory);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  std::uint64_t time = 0;
  for (auto unused : state) {
    writer.flush();
    memory.rewind();
    for (std::uint64_t i = 0; i < kRecords; ++i, time += 10)
      writer.write_complete(*event, *thread, time, time + length_of(i));
    benchmark::ClobberMemory();
  }
  set_rates(state);
}

void write_complete(benchmark::State& state) {
  write_each(state, [](std::uint64_t) -> std::uint64_t { return 5; });
}
BENCHMARK(write_complete);

// Writes nested calls with three levels. Each call contains about ten calls of the next level.
void write_nested(benchmark::State& state) {
  write_each(state, [](std::uint64_t i) -> std::uint64_t {
    return i % 100 == 0 ? 999 : i % 10 == 0 ? 99 : 9;
  });
}
BENCHMARK(write_nested);

// Like the sink of a converter, checks the bounds once for many records.
void write_reserved(benchmark::State& state) {
  constexpr std::size_t kBatch = 1000;
  ReadyMemory memory(kBytes);
  fxt::Writer writer(memory);
  const auto event = writer.prepare("app", "main");
  const auto thread = writer.thread_index(100, 101);
  const auto header = event->header(fxt::EventType::DurationComplete, *thread, fxt::Writer::kCompleteWords);
  for (auto unused : state) {
    writer.flush();
    memory.rewind();
    for (std::uint64_t i = 0; i < kRecords; i += kBatch) {
      auto room = writer.reserve(kBatch * fxt::Writer::kCompleteWords);
      std::uint64_t* word = room.data();
      for (std::uint64_t k = i; k < i + kBatch; ++k) {
        *word++ = header;
        *word++ = 10 * k;
        *word++ = 10 * k + 5;
      }
      writer.commit(room.size());
    }
    benchmark::ClobberMemory();
  }
  set_rates(state);
}
BENCHMARK(write_reserved);

void write_values(benchmark::State& state) {
  ReadyMemory memory(kBytes);
  fxt::Writer writer(memory);
  fxt::Event event{.type = fxt::EventType::DurationComplete,
                   .thread = {.process = 100, .thread = 101},
                   .category = "app",
                   .name = "main"};
  for (auto unused : state) {
    writer.flush();
    memory.rewind();
    for (std::uint64_t i = 0; i < kRecords; ++i) {
      event.time += 10;
      event.end = event.time + 5;
      writer.write(event);
    }
    benchmark::ClobberMemory();
  }
  set_rates(state);
}
BENCHMARK(write_values);

void read_records(benchmark::State& state) {
  const auto words = trace_words();
  for (auto unused : state) {
    fxt::Reader reader(std::as_bytes(std::span(words)));
    std::uint64_t sum = 0;
    while (const fxt::Entry* entry = reader.next())
      if (const auto* event = std::get_if<fxt::Event>(&entry->record)) sum += event->end - event->time;
    benchmark::DoNotOptimize(sum);
  }
  set_rates(state);
}
BENCHMARK(read_records);

std::uint64_t findings_of(std::span<const std::uint64_t> words) {
  std::uint64_t findings = 0;
  fxt::Checker checker([&findings](const fxt::Finding&) { ++findings; });
  fxt::OrderedReader trace(std::as_bytes(words));
  checker.check(trace);
  return findings;
}

void check_records(benchmark::State& state) {
  const auto words = trace_words();
  for (auto unused : state) benchmark::DoNotOptimize(findings_of(words));
  set_rates(state);
}
BENCHMARK(check_records);

// Checks ends with wrong names, and ids that stay open. For twice as many records, the check must take only
// twice as long.
void check_mistakes(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range());
  fxt::MemoryOutput output;
  fxt::Writer writer(output);
  const auto write = [&writer](fxt::EventType type, std::uint64_t time, std::string_view name,
                               std::uint64_t id) {
    writer.write(fxt::Event{.type = type,
                            .time = time,
                            .thread = {.process = 1, .thread = 2},
                            .category = "app",
                            .name = name,
                            .id = id});
  };
  for (std::uint64_t i = 0; i < count; ++i) write(fxt::EventType::DurationBegin, i, "a", 0);
  for (std::uint64_t i = 0; i < count; ++i) write(fxt::EventType::DurationEnd, count + i, "b", 0);
  for (std::uint64_t i = 0; i < count; ++i) write(fxt::EventType::AsyncBegin, 2 * count + i, "a", i);
  writer.flush();
  for (auto unused : state) benchmark::DoNotOptimize(findings_of(output.words()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(3 * count));
}
BENCHMARK(check_mistakes)->Arg(20'000)->Arg(160'000);

// ---- The Tracer: the cost of an event for the traced program, while the file is written ----

const fxt::TraceCategory kApp("app"), kOff("off", false);
const fxt::TraceEvent kWork(kApp, "work"), kNothing(kOff, "nothing");

void look_at_the_clock(benchmark::State& state) {
  for (auto unused : state) benchmark::DoNotOptimize(fxt::now_ns());
}
BENCHMARK(look_at_the_clock);

// `bytes` is the size of the ring; 0 means that no ring is used.
template <typename Do>
void trace(benchmark::State& state, std::size_t bytes, Do one) {
  {
    const fxt::Tracer tracer("/tmp/fxt_bench.fxt", {.ring_bytes = bytes});
    for (auto unused : state) one();
  }
  std::remove("/tmp/fxt_bench.fxt");
}

constexpr std::size_t kRing = std::size_t{64} << 20;
constexpr auto kScope = [] { const fxt::TraceScope scope(kWork); };
constexpr auto kScopeWithNumber = [] { const fxt::TraceScope scope(kWork, "size", 42); };
constexpr auto kInstant = [] { fxt::trace_instant(kWork); };
constexpr auto kOffScope = [] { const fxt::TraceScope scope(kNothing); };
BENCHMARK_CAPTURE(trace, scope, 0, kScope);
BENCHMARK_CAPTURE(trace, scope_with_number, 0, kScopeWithNumber);
BENCHMARK_CAPTURE(trace, instant, 0, kInstant);
BENCHMARK_CAPTURE(trace, scope_to_ring, kRing, kScope);
BENCHMARK_CAPTURE(trace, instant_to_ring, kRing, kInstant);
BENCHMARK_CAPTURE(trace, scope_that_is_off, 0, kOffScope);

}  // namespace

BENCHMARK_MAIN();
