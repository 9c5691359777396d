// OptionFilter applies the filter options to the calls, events and switches of a thread.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "converters/uftrace/threads/call_filter.h"
#include "tests/uftrace/threads/stages.h"

namespace convert::uftrace {
namespace {

using Option = FilterItem::Option;

// Tests the filter of a thread together with a lane that has the open calls.
class OptionFilterTest : public Stages {
 protected:
  void use(const FilterOptions& options, bool passes_program = false) {
    table_.emplace(options, passes_program,
                   FilterTable::Functions{*symbolizer_, no_lines_, names_, Demangle::Simple});
    symbols_.move_to(10);
    filter_.emplace(*table_, *symbolizer_, symbols_, names_, lane_, plan_);
    filter_->use_scratch(scratch_);
    filter_->set_record(record_);
    EXPECT_TRUE(filter_->scan_ahead()) << "nothing depends on later records";
  }
  static FilterOptions items(Option option, std::string_view list) {
    return {.items = parse_filter_items(option, list)};
  }

  // Begins a call inside the open calls. Returns true if the call is shown.
  bool begin(std::uint64_t address, bool recorded = true) {
    const bool is_shown = filter_->enter(address, recorded);
    if (is_shown)
      lane_.begin(++time_ns_, LabelId{}, address);
    else
      lane_.begin_filtered(++time_ns_, address);
    return is_shown;
  }
  void end() { lane_.end(++time_ns_); }
  bool shows_event(bool of_call = false) { return filter_->shows_event(lane_.depth(), of_call); }
  CallRecord call(RecordType type, std::uint64_t address) const {
    const std::size_t depth = type == RecordType::Entry ? lane_.depth() : lane_.depth() - 1;
    return {.type = type, .time_ns = time_ns_ + 1, .depth = depth, .address = address};
  }

  struct NoLines final : FunctionLines {
    NameId line_of(const SymbolAt&) override { return CallLabel::kNoLine; }
  };

  NoLines no_lines_;
  ChunkPool pool_;
  Lane lane_{pool_, kTestLanes};
  std::optional<FilterTable> table_;
  TaskSymbols symbols_{*symbolizer_, *plan_.task};
  WorkerScratch scratch_;
  RecordItem record_{.what = RecordItem::What::Call, .begin = 0, .end = kRecordSize};
  std::optional<OptionFilter> filter_;
  std::uint64_t time_ns_ = 10;
};

TEST_F(OptionFilterTest, FilterShowsAFunctionAndItsCallees) {
  use(items(Option::Filter, "g"));
  EXPECT_FALSE(begin(kF));
  EXPECT_TRUE(begin(kG));
  EXPECT_TRUE(begin(kF)) << "called by g";
  end();
  end();
  EXPECT_FALSE(begin(kF)) << "g has returned";
  EXPECT_EQ(filter_->dropped().calls, 2u);
}

TEST_F(OptionFilterTest, NotraceDropsAFunctionAndItsCallees) {
  use(items(Option::Notrace, "g"));
  EXPECT_TRUE(begin(kF));
  EXPECT_TRUE(shows_event());
  EXPECT_FALSE(begin(kG));
  EXPECT_FALSE(begin(kF));
  EXPECT_FALSE(shows_event());
  end();
  end();
  EXPECT_TRUE(begin(kF));
  EXPECT_EQ(filter_->dropped().calls, 2u);
  EXPECT_EQ(filter_->dropped().events, 1u);
}

TEST_F(OptionFilterTest, HideDropsOnlyAFunction) {
  use(items(Option::Hide, "g"));
  EXPECT_TRUE(begin(kF));
  EXPECT_FALSE(begin(kG));
  EXPECT_TRUE(begin(kF));
  EXPECT_TRUE(shows_event());
}

TEST_F(OptionFilterTest, DepthCountsFromTheFilteredFunction) {
  FilterOptions options = items(Option::Filter, "g");
  options.depth = 1;
  use(options);
  EXPECT_FALSE(begin(kF));
  EXPECT_TRUE(begin(kG));
  EXPECT_FALSE(begin(kF));
  EXPECT_FALSE(shows_event()) << "deeper than the levels that are shown";
}

TEST_F(OptionFilterTest, DepthCountsFromTheOutermostCallWithoutAFilter) {
  use({.depth = 2});
  EXPECT_TRUE(begin(kF));
  EXPECT_TRUE(begin(kG));
  EXPECT_FALSE(begin(kF));
  end();
  end();
  EXPECT_TRUE(begin(kG));
}

TEST_F(OptionFilterTest, SmallFunctionsAreDropped) {
  use({.size = 0x100});
  EXPECT_TRUE(begin(kF)) << "as large as the limit";
  FilterOptions larger{.size = 0x101};
  use(larger);
  EXPECT_FALSE(begin(kG));
}

TEST_F(OptionFilterTest, TraceOffLastsUntilAnotherProgramBegins) {
  use(items(Option::Trigger, "g@trace_off"));
  EXPECT_TRUE(begin(kF));
  EXPECT_FALSE(begin(kG));
  end();
  EXPECT_FALSE(begin(kSetjmp)) << "after g, too";
  EXPECT_FALSE(shows_event());
  filter_->start_over();
  EXPECT_TRUE(begin(kF));
}

TEST_F(OptionFilterTest, EventsOfAHiddenCallAreShown) {
  use(items(Option::Hide, "g"));
  EXPECT_FALSE(begin(kG));
  EXPECT_TRUE(shows_event(true));
}

TEST_F(OptionFilterTest, ShortSwitchesAreDropped) {
  use(items(Option::Notrace, "g"));
  EXPECT_TRUE(filter_->shows_switch(0, false));
  EXPECT_FALSE(filter_->shows_switch(0, true));
  EXPECT_EQ(filter_->dropped().events, 1u);
  EXPECT_FALSE(begin(kG));
  EXPECT_FALSE(filter_->shows_switch(1, false)) << "inside g";
}

TEST_F(OptionFilterTest, ARecordThatIsCertainlyHiddenIsDetectedBeforeItIsApplied) {
  use(items(Option::Notrace, "g"));
  EXPECT_FALSE(filter_->drops_entry(call(RecordType::Entry, kG))) << "it may be drawn by a rule of its own";
  EXPECT_FALSE(begin(kG));
  EXPECT_TRUE(filter_->drops_entry(call(RecordType::Entry, kF)));
  EXPECT_TRUE(filter_->drops_exit(call(RecordType::Exit, kG)));
  EXPECT_FALSE(filter_->drops_exit(call(RecordType::Exit, kF))) << "another function";
  EXPECT_FALSE(filter_->shows_fork_in(1));
}

TEST_F(OptionFilterTest, LookingAheadDoesNotChangeTheState) {
  use(items(Option::Trigger, "g@trace_off"));
  EXPECT_FALSE(filter_->will_be_seen(call(RecordType::Entry, kG)));
  EXPECT_TRUE(filter_->will_be_seen(call(RecordType::Entry, kF))) << "tracing is on still";
  EXPECT_EQ(filter_->dropped().calls, 0u);
  EXPECT_TRUE(begin(kF));
  EXPECT_TRUE(filter_->shows_fork_in(1));
  EXPECT_FALSE(filter_->shows_fork_in(0)) << "no call";
}

TEST_F(OptionFilterTest, PlainEntriesFollowTheSameRules) {
  use(items(Option::Notrace, "g"));
  EXPECT_EQ(filter_->plain_rule(kG), nullptr) << "not known yet";
  EXPECT_FALSE(begin(kG));
  end();
  const FunctionRule* const* const rule = filter_->plain_rule(kG);
  ASSERT_NE(rule, nullptr);
  EXPECT_FALSE(filter_->enter_plain(0, *rule, 0));
  EXPECT_TRUE(filter_->enter_plain(0, nullptr, 0));
  EXPECT_EQ(filter_->dropped().calls, 2u);

  use(items(Option::Filter, "setjmp@if:arg1==1"));
  EXPECT_FALSE(begin(kSetjmp, false) && filter_->plain_rule(kSetjmp) != nullptr)
      << "its rule depends on the record";
}

TEST_F(OptionFilterTest, WithKernelOnlyOnlyTheKernelIsShown) {
  use({}, true);
  EXPECT_FALSE(filter_->shows_program());
  EXPECT_FALSE(begin(kF));
  EXPECT_FALSE(begin(0)) << "a call of an unknown function";
  EXPECT_TRUE(filter_->enter_kernel(2, 0xff00).is_shown);
}

TEST_F(OptionFilterTest, KernelCallsAreFilteredWithTheCallsAroundThem) {
  use(items(Option::Notrace, "g"));
  EXPECT_TRUE(filter_->enter_kernel(0, 0xff00).is_shown);
  EXPECT_EQ(filter_->enter_kernel(0, 0xff00).shortest_ns, 0u);
  EXPECT_FALSE(begin(kG));
  EXPECT_FALSE(filter_->enter_kernel(1, 0xff00).is_shown);
  filter_->drop_kernel_call();
  EXPECT_EQ(filter_->dropped().calls, 3u);
}

}  // namespace
}  // namespace convert::uftrace
