// What --inspect says of trace files.
#include "converters/tfile/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

Outline outline_of(TraceBuilder& t) {
  Notes notes;
  return inspect(t.write(), notes);
}

void describe(TraceBuilder& t) {
  t.line("R 40").line("status 0;tstop::0;tframes:2").line("tsv 1:0:1:74726163655f74696d657374616d70");
  t.line("tp T2:401000:E:0:0");
}

TEST(TraceInspect, SpellsActions) {
  TraceBuilder t;
  describe(t);
  t.line("tp A2:401000:R0f").line("tp A2:401000:L").line("tp A2:401000:M-1,404040,8");
  t.line("tp A2:401000:M0,10,4")

      .line("tp A2:401000:X00000008,2c00012e00012927");
  const auto lines = outline_of(t.end())["tracepoints"].front()["actions"].get<std::vector<std::string>>();
  EXPECT_THAT(lines, ElementsAre("registers, mask 0f", "static trace data", "memory 0x404040, 8 bytes",
                                 "memory register 0 +16, 4 bytes", "expression getv 1; tracev 1; pop; end"));
}

TEST(TraceInspect, TellsTimesWhereThereAreAny) {
  TraceBuilder none, one;
  describe(none);
  const Outline without = outline_of(none.frame(2).memory(0x1000, "x").end())["time"];
  EXPECT_EQ(without["frames with a time stamp"], 0);
  EXPECT_FALSE(without.contains("first ns"));
  describe(one);
  const Outline with = outline_of(one.frame(2).variable(1, 7).end())["time"];
  EXPECT_EQ(with["frames with a time stamp"], 1);
  EXPECT_EQ(with["first ns"], 7000);
  EXPECT_EQ(with["last ns"], 7000);
  EXPECT_FALSE(with.contains("stamps going back"));
}

}  // namespace
}  // namespace convert::tfile
