// Tests --inspect for trace files.
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/importer.h"
#include "converters/tfile/program/program.h"
#include "tests/tfile/program/traced_program.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using Json = nlohmann::ordered_json;

Json inspected(const std::filesystem::path& path, Notes& notes, const TraceFileOptions& options = {}) {
  return inspect(path, notes, options);
}

Json outline_of(TraceBuilder& t) {
  Notes notes;
  return inspected(t.write(), notes);
}
std::string section(TraceBuilder& t, std::string_view name) {
  Notes notes;
  return text_of(*inspect(t.write(), notes).find(name));
}

void begin_description(TraceBuilder& t) {
  t.line("R 40").line("status 0;tstop::0;tframes:2").line(kStamp);
  t.line("tp T2:401000:E:0:0");
}

TEST(TraceInspect, ShowsActions) {
  TraceBuilder t;
  begin_description(t);
  t.line("tp A2:401000:R0f").line("tp A2:401000:L").line("tp A2:401000:M-1,404040,8");
  t.line("tp A2:401000:M0,10,4")

      .line("tp A2:401000:X00000008,2c00012e00012927");
  const auto lines = outline_of(t.end())["tracepoints"].front()["actions"].get<std::vector<std::string>>();
  EXPECT_THAT(lines,
              ElementsAre("registers, mask 0f", "static trace data", "memory 0x404040, 8 bytes",
                          "memory at register 0 +16, 4 bytes", "expression getv 1; tracev 1; pop; end"));
}

TEST(TraceInspect, ShowsTimesIfThereAreAny) {
  TraceBuilder none, one;
  begin_description(none);
  const Json without = outline_of(none.frame(2).memory(0x1000, "x").end())["time"];
  EXPECT_EQ(without["frames with a time stamp"], 0);
  EXPECT_FALSE(without.contains("first ns"));
  begin_description(one);
  const Json with = outline_of(one.frame(2).variable(1, 7).end())["time"];
  EXPECT_EQ(with["frames with a time stamp"], 1);
  EXPECT_EQ(with["first ns"], 7000);
  EXPECT_EQ(with["last ns"], 7000);
  EXPECT_FALSE(with.contains("stamps going back"));
}

TEST(TraceInspect, ShowsTheTarget) {
  TraceBuilder known, guessed, unknown;
  known.line("R 8").line("tdesc <target><architecture>sparc</architecture><osabi>Solaris</osabi>");
  known.line(
      "tdesc <feature name='f'><reg name='pc' bitsize='32'/><reg name='sp' "
      "bitsize='32'/></feature></target>");
  EXPECT_EQ(section(known.end(), "target"),
            "architecture: sparc\nos: Solaris\nbyte order: big\n"
            "register block bytes: 8\nregisters: 2\n");
  guessed.line("R 40").line("tp T2:401000:E:0:0").frame(2).registers(i386_registers(0x401000, 0x1000)).end();
  const Json target = outline_of(guessed)["target"];
  EXPECT_EQ(target["architecture"], "i386");
  EXPECT_EQ(target["byte order"], "little");
  EXPECT_EQ(target["registers are guessed"], true);
  EXPECT_FALSE(target.contains("os"));
  const Json nothing = outline_of(unknown.line("R 40").end());
  EXPECT_EQ(nothing["input"], unknown.path().string());
  EXPECT_EQ(nothing["kind"], "GDB trace file");
  EXPECT_EQ(nothing["target"]["architecture"], "unknown");
  EXPECT_EQ(nothing["target"]["registers"], 0);
  EXPECT_FALSE(nothing["target"].contains("registers are guessed"));
  EXPECT_FALSE(nothing.contains("status"));
}

TEST(TraceInspect, ShowsTheStatus) {
  TraceBuilder full, bare;
  full.line("R 40").line(
      "status 0;tfull:0;tframes:2;tcreated:3;tfree:4;tsize:5;circular:1;starttime:6;stoptime:7;username:6d65;"
      "notes:6869;future:8");
  EXPECT_EQ(section(full.end(), "status"),
            "state: buffer full\nframes: 2\nframes created: 3\nbuffer bytes: 5\nbuffer bytes free: 4\n"
            "circular: yes\nstart us: 6\nstop us: 7\nuser: me\nnotes: hi\nfuture: 8\n");
  EXPECT_EQ(section(bare.line("R 40").line("status 1;tnotrun:0").end(), "status"),
            "state: running\ncircular: no\n");
}

TEST(TraceInspect, ShowsTracepoints) {
  TraceBuilder t;
  t.line("R 40").line("status 0;tstop::0").line("tsv 2:fffffffffffffff9:0:68697473");
  t.line("tp T4:403000:E:0:0:S").line("tp Z4:403000:at:0:1:68");
  t.line("tp T3:402000:D:0:0:F0").line("tp T2:401000:E:2:3:X4,22012927").line("tp A2:401000:R0f");
  t.line("tp S2:401000:M-1,1000,1").line("tp V2:401000:25:61125").source("2:401000", "cond", "1");
  t.source("2:401000", "cmd", "collect $regs").source("2:401000", "cmd", "while-stepping 2");
  t.frame(2)
      .registers(std::string(64, '\0'))
      .frame(2)
      .memory(0x1000, "x")
      .frame(3)
      .frame(3)
      .frame(9)
      .frame(3)
      .end();
  EXPECT_EQ(
      section(t, "tracepoints"),
      "- tracepoint: 2\n  address: 0x401000\n  kind: trap\n  enabled: yes\n  steps: 2\n  pass count: 3\n"
      "  condition: 1\n  condition bytecode: const8 1; pop; end\n  commands:\n    - collect $regs\n"
      "    - while-stepping 2\n  actions:\n    - registers, mask 0f\n  step actions:\n"
      "    - memory 0x1000, 1 bytes\n  hits while recording: 25\n  hits in this file: 1\n"
      "- tracepoint: 3\n  address: 0x402000\n  kind: fast\n  enabled: no\n  hits in this file: 3\n"
      "- tracepoint: 4\n  address: 0x403000\n  at: h\n  kind: static\n  enabled: yes\n"
      "  hits in this file: 0\n");
  EXPECT_EQ(section(t, "variables"), "- name: $hits\n  number: 2\n  initial: -7\n  computed: no\n");
  EXPECT_EQ(section(t, "frames"),
            "frames: 6\nhits: 5\nsteps: 1\nmemory blocks: 1\nmemory bytes: 1\nvariable values: 0\n"
            "frames by tracepoint:\n  tracepoint 2: 2\n  tracepoint 3: 3\n  tracepoint 9: 1\n");
}

// Frames of a known pattern are counted by their pattern, and not block by block. The counts must be the
// same.
TEST(TraceInspect, CountsContentsOfFrames) {
  TraceBuilder t;
  begin_description(t);
  for (int i = 0; i < 10; ++i) t.frame(2).variable(1, 1000 + i).memory(0x1000, "abc").variable(2, 1);
  t.frame(2).variable(1, 1005).memory(0x1000, "abc").memory(0x2000, "d").raw("Q").end();
  const Json outline = outline_of(t);
  EXPECT_EQ(section(t, "frames"),
            "frames: 11\nhits: 11\nsteps: 0\npartly readable: 1\nmemory blocks: 12\nmemory bytes: 34\n"
            "variable values: 21\nframes by tracepoint:\n  tracepoint 2: 11\n");
  EXPECT_EQ(outline["time"]["stamps going back"], 1);
  EXPECT_EQ(outline["time"]["first ns"], 1'000'000);
  EXPECT_EQ(outline["time"]["last ns"], 1'009'000);
  EXPECT_EQ(section(t, "threads"), "- thread: unknown thread\n  frames: 11\n");
  EXPECT_EQ(outline["damage"].size(), 1u);
  EXPECT_EQ(outline["damage"][0]["problem"], "frame 10: unknown or damaged block");
}

TEST(Inspect, AProgramGivesFunctionsAndLines) {
  const std::uint64_t address =
      Program(TRACED_FIXED, Demangle::Simple).functions("plain_start").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder t;
  t.line("R 40").line(fmt::format("tp T{}:E:0:0", location)).source(location, "at", "plain_start").end();
  Notes notes;
  const Json outline = inspected(t.write(), notes, {.programs = {TRACED_FIXED}});
  const Json& tracepoint = outline["tracepoints"][0];
  EXPECT_EQ(tracepoint["function"], "plain_start");
  EXPECT_THAT(tracepoint["source"].get<std::string>(), testing::HasSubstr("traced_program.cpp:"));
  EXPECT_EQ(notes.count(kLoadBias) + notes.count(kWrongProgram), 0u);
}

// The types of items are known, even without a frame that has the items.
TEST(Inspect, AProgramGivesTheTypesOfItems) {
  const std::uint64_t address =
      Program(TRACED_FIXED, Demangle::Simple).functions("plant::measure").front().address;
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder t;
  t.line("R 40").line("tsv 1:0:1:74696d65").line(fmt::format("tp T{}:E:2:0", location));
  t.line(fmt::format("tp A{}:M7,10,8", location));
  t.source(location, "at", "plant::measure");
  for (const auto* const command :
       {"collect g, *g, tank, g->at.x, plant::many, g->mid, &plant::level, plant::many[1] * 2l",
        "collect nowhere, $args, $locals, $_ret, $time, $regs", "teval $time = 1", "while-stepping 2",
        "collect starter, unit, reader, tank.gone", "end"})
    t.source(location, "cmd", command);
  Notes notes;
  const Json outline = inspected(t.end().write(), notes, {.programs = {TRACED_FIXED}});
  EXPECT_THAT(outline["tracepoints"][0]["items"].get<std::vector<std::string>>(),
              ElementsAre("g: plant::gauge *", "*g: plant::gauge", "tank: plant::Tank &", "g->at.x: double",
                          "plant::many: int [1000]", "g->mid: int, 5 bits", "&plant::level: int *",
                          "plant::many[1] * 2l: long", "nowhere: the name is unknown at this code address",
                          "g: plant::gauge *", "tank: plant::Tank &", "$locals: none", "$_ret: void *",
                          "$regs: the program has no such value", "while stepping, starter: function *",
                          "while stepping, unit: pointer to a data member",
                          "while stepping, reader: pointer to a member function",
                          "while stepping, tank.gone: the name is unknown at this code address"));
}

TEST(Inspect, HiddenVariablesAreMarked) {
  const std::uint64_t address = Program(TRACED_FIXED, Demangle::Simple)
                                    .line_addresses("traced_program.cpp", line_of("refill inner"))
                                    .front();
  const std::string location = fmt::format("2:{:x}", address);
  TraceBuilder t;
  t.line("R 40").line(fmt::format("tp T{}:E:0:0", location)).source(location, "cmd", "collect $locals");
  Notes notes;
  const Json outline = inspected(t.end().write(), notes, {.programs = {TRACED_FIXED}});
  EXPECT_EQ(outline["tracepoints"][0]["items"],
            Json({"calls: short int", "calls: int, hidden by another variable of the same name"}));
}

// A frame has only 16 bits for the number of its tracepoint, so no frame can belong to tracepoint 0x10002.
TEST(Inspect, ATracepointWithATooLargeNumberHasNoItems) {
  const std::uint64_t address =
      Program(TRACED_FIXED, Demangle::Simple).functions("plant::measure").front().address;
  const std::string location = fmt::format("10002:{:x}", address);
  TraceBuilder t;
  t.line("R 40").line(fmt::format("tp T{}:E:0:0", location)).source(location, "cmd", "collect g").end();
  Notes notes;
  const Json outline = inspected(t.write(), notes, {.programs = {TRACED_FIXED}});
  EXPECT_EQ(outline["tracepoints"][0].value("items", Json::array()), Json::array());
}

TEST(Inspect, ItemsOfUndescribedCodeHaveNoTypes) {
  const std::string location = "2:401000";
  TraceBuilder t;
  t.line("R 40").line(fmt::format("tp T{}:E:0:0", location)).source(location, "cmd", "collect count").end();
  Notes notes;
  const Json without = inspected(t.write(), notes);
  EXPECT_FALSE(without["tracepoints"][0].contains("items"));
  const Json outline = inspected(
      t.path(), notes, {.programs = {TRACED_FIXED}, .load_biases = {{.module = "", .bias = 0x10000000}}});
  EXPECT_EQ(outline["tracepoints"][0]["items"],
            Json({"count: the program does not describe the code at this address"}));
}

}  // namespace
}  // namespace convert::tfile
