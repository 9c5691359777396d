// Measures the cost of a call, from the lane to the encoded bytes, with and without arguments. An item of the
// benchmark is a call.
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "converters/model/merging/source.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/sink/fxt_sink.h"
#include "converters/model/timeline.h"
#include "fxt/writer.h"
#include "tests/bench/ready_memory.h"

namespace convert {
namespace {

constexpr std::uint64_t kCalls = 1'000'000;
constexpr std::size_t kMemory = std::size_t{1} << 20;  // small enough for the CPU's cache

// Emits calls of 5 ns, one every 10 ns, with the arguments that `fill` adds.
class Calls : public Source {
 public:
  using Fill = std::function<void(std::uint64_t i, Arguments& of_entry, Arguments& of_exit)>;

  Calls(Lane& lane, LabelId label, Fill fill) : lane_(lane), label_(label), fill_(std::move(fill)) {}
  bool pump(const PumpBudget& budget) override {
    for (std::size_t emitted = 0; emitted < budget.bytes && next_ < kCalls; ++next_) {
      entry_.clear();
      exit_.clear();
      fill_(next_, entry_, exit_);
      lane_.begin(10 * next_ + 10, label_, 0, entry_);
      lane_.end(10 * next_ + 15, exit_);
      emitted += sizeof(PendingEvent) + entry_.words().size_bytes() + exit_.words().size_bytes();
    }
    return next_ < kCalls;
  }
  std::uint64_t watermark_ns() const override { return lane_.last_ns(); }

 private:
  Lane& lane_;
  LabelId label_;
  Fill fill_;
  Arguments entry_, exit_;
  std::uint64_t next_ = 0;
};

void convert_calls(benchmark::State& state, Names& names, const Calls::Fill& fill) {
  for (auto unused : state) {
    ReadyMemory memory(kMemory);
    fxt::Writer writer(memory);
    Notes notes;
    TimelineOptions options;
    options.lanes = {.limits = FxtSink::kLimits};
    options.jobs = 1;
    Timeline timeline(options, notes);
    timeline.begin_input("calls");
    LaneInfo info;
    info.process = ProcessId{7};
    info.thread = ThreadId{8};
    Lane& lane = timeline.add_lane(info);
    FxtSink sink(writer, names);
    timeline.add_source(std::make_unique<Calls>(lane, names.intern_label("app", "main"), fill), {&lane});
    timeline.run(sink, [] {});
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kCalls));
}

void plain(benchmark::State& state) {
  Names names;
  convert_calls(state, names, [](std::uint64_t, Arguments&, Arguments&) {});
}
BENCHMARK(plain);

// Converts calls with three arguments and a return value. `second` is the second argument.
template <typename Second>
void three_and_a_value(benchmark::State& state, Second second) {
  Names names;
  const NameId a = names.intern("a"), b = names.intern("b"), c = names.intern("c"),
               value = names.intern("ret");
  convert_calls(state, names, [=](std::uint64_t i, Arguments& of_entry, Arguments& of_exit) {
    of_entry.add({a, i});
    of_entry.add({b, second});
    of_entry.add({c, std::uint64_t{1} << 40});
    of_exit.add({value, static_cast<std::int64_t>(i)});
  });
}

void three_integers_and_a_value(benchmark::State& state) { three_and_a_value(state, std::int32_t{-5}); }
BENCHMARK(three_integers_and_a_value);

void a_string_among_them(benchmark::State& state) {
  three_and_a_value(state, std::string_view("/usr/share/dict/wood"));
}
BENCHMARK(a_string_among_them);

}  // namespace
}  // namespace convert

BENCHMARK_MAIN();
