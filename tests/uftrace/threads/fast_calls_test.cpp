// Runs of plain records bypass the stages and go to the lane. A run ends before the first record that needs
// the stages.
#include "converters/uftrace/threads/fast_calls.h"

#include <string>
#include <vector>

#include "converters/uftrace/arguments/debug_files.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/arguments/spec_table.h"
#include "tests/number_bytes.h"
#include "tests/uftrace/records/record_bytes.h"
#include "tests/uftrace/threads/stages.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

class FastCallsTest : public Stages {
 protected:
  // Adds the plain records at the start of `bytes` to a lane. Returns the events of the lane.
  std::vector<std::string> lines_of(const RecordBytes& bytes, std::uint64_t limit_ns = 1000) {
    LabelCaches caches;
    TaskSymbols symbols(*symbolizer_, *plan_.task);
    symbols.use_caches(caches);
    symbols.move_to(10);
    return lines([&](Stage& s) {
      const FastCalls add(s.lane, symbols, NameId{}, nullptr);
      const auto all = std::as_bytes(std::span(bytes.whole()));
      added_ = add(PlainRecords<std::endian::little>{all.data(), all.data() + all.size(), {}, limit_ns}, 0);
    });
  }
  std::size_t added_ = 0;
};

TEST_F(FastCallsTest, AllCallsArePlain) {
  EXPECT_THAT(lines_of(RecordBytes().entry(10, 0, kF).entry(20, 1, kG).exit(30, 1, kG).exit(40, 0, kF)),
              ElementsAre("7/8 [10, 40] a:f", "7/8 [20, 30] a:g"));
  EXPECT_EQ(added_, 4u);
}

// Lane::add_run() stops at an exit with the time of the previous event, and FastCalls adds this exit.
TEST_F(FastCallsTest, CallsWithoutLengthArePlain) {
  lines_of(RecordBytes().entry(10, 0, kF).entry(20, 1, kG).exit(20, 1, kG).exit(20, 0, kF));
  EXPECT_EQ(added_, 4u);
}

TEST_F(FastCallsTest, StopsBeforeOtherRecords) {
  lines_of(RecordBytes().entry(10, 0, kF).event(20, 1000000).exit(30, 0, kF));
  EXPECT_EQ(added_, 1u) << "an event";
  lines_of(RecordBytes().entry(10, 0, kF).entry(20, 1, kG, 8).exit(30, 1, kG));
  EXPECT_EQ(added_, 1u) << "a payload";
  lines_of(RecordBytes().entry(10, 0, kF).entry(20, 2, kG));
  EXPECT_EQ(added_, 1u) << "a depth that does not fit";
  lines_of(RecordBytes().entry(10, 0, kF).exit(20, 0, kG));
  EXPECT_EQ(added_, 1u) << "an exit of another function";
  lines_of(RecordBytes().entry(10, 0, kF).entry(20, 1, kG), 20);
  EXPECT_EQ(added_, 1u) << "a side stream's event is due";
}

// An enum's value is shown as the name of an enumerator, or as a text with several names. The fast path adds
// both kinds of arguments.
TEST_F(FastCallsTest, CallsWithEnumeratorsArePlain) {
  Info info;
  info.argument_lines = {"argspec:f@arg1/e:color", "retspec:f@retval/e:color",
                         "enumauto:enum color {RED,GREEN=5,BLUE,}"};
  SpecTable specs(info, "info", names_, notes_, notes_);
  DebugFiles debug(directory_, names_, notes_);
  PayloadLayouts layouts({.symbolizer = *symbolizer_,
                          .specs = specs,
                          .debug = debug,
                          .names = names_,
                          .demangle = Demangle::Simple,
                          .order = std::endian::little});
  PayloadDecoder decoder(layouts, *plan_.task);
  LabelCaches caches;
  TaskSymbols symbols(*symbolizer_, *plan_.task);
  symbols.use_caches(caches);
  symbols.move_to(10);
  const auto shown = lines([&](Stage& s) {
    // This event uses the slow path, which allocates memory for the lane. The fast path then uses this
    // memory.
    s.lane.instant(5, names_.intern_label("a", "start"), Arguments{Argument(names_.intern("count"), 1)});
    const FastCalls add(s.lane, symbols, NameId{}, &decoder);
    const auto try_add = [&](RecordType type, std::uint64_t time_ns, std::uint64_t value) {
      const CallRecord call{.type = type, .time_ns = time_ns, .depth = 0, .address = kF};
      const std::string payload = number_bytes(value);
      return add.try_add(call, decoder.candidates(time_ns, kF, call.is_entry()).front(),
                         std::as_bytes(std::span(payload)));
    };
    EXPECT_TRUE(try_add(RecordType::Entry, 10, 5));
    EXPECT_TRUE(try_add(RecordType::Exit, 20, 11));
  });
  EXPECT_THAT(shown,
              ElementsAre("7/8 @5 a:start count=1", "7/8 [10, 20] a:f arg1='GREEN' retval=\"BLUE|GREEN\""));
}

TEST_F(FastCallsTest, NothingIsPlainBeforeTheFirstCall) {
  TaskSymbols symbols(*symbolizer_, *plan_.task);
  lines([&](Stage& s) {
    const RecordBytes bytes = RecordBytes().entry(10, 0, kF);
    const auto all = std::as_bytes(std::span(bytes.whole()));
    EXPECT_EQ(FastCalls(s.lane, symbols, NameId{}, nullptr)(
                  PlainRecords<std::endian::little>{all.data(), all.data() + all.size(), {}, 1000}, 0),
              0u);
  });
}

}  // namespace
}  // namespace convert::uftrace
