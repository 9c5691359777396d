// The names of what a location's actions record (fact sheet, section 8).
#include "converters/tfile/actions/expected_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;

// A program of one function and some static objects.
class OneFunction : public ProgramSymbols {
 public:
  std::map<std::int64_t, std::string> locals;    // by their offset from the frame base
  std::map<std::int64_t, std::string> indirect;  // where their address lies
  std::vector<StaticLocal> statics;
  std::map<std::string, DataObject> objects;
  bool base_adds = true;

  CodeInfo code_at(std::uint64_t) const override { return {}; }
  std::optional<DataObject> object(std::uint64_t, const std::string& name) const override {
    const auto found = objects.find(name);
    return found != objects.end() ? std::optional(found->second) : std::nullopt;
  }
  bool knows_objects() const override { return true; }
  std::vector<StaticLocal> static_locals(std::uint64_t) const override { return statics; }
  std::optional<LocalVariable> local(std::uint64_t, FrameOffset offset) const override {
    const auto& there = offset.is_indirect ? indirect : locals;
    const auto found = there.find(offset.offset);
    if (found == there.end()) return std::nullopt;
    return LocalVariable{.name = found->second, .type = nullptr};
  }
  bool frame_base_adds(std::uint64_t) const override { return base_adds; }
  const Type* type_of(std::uint64_t, const std::string&) const override { return nullptr; }
};

class ExpectedNames : public testing::Test {
 protected:
  // The name of what each action records, "?" if unknown; several names are joined by "+".
  std::vector<std::string> names(const std::vector<std::string>& commands, const std::string& actions,
                                 const ProgramSymbols* symbols) {
    TracepointLocation location;
    location.commands = commands;
    location.hit_actions = read_actions(actions).value();
    Names names;
    const ExpectedFrames expected = expect_frames(location, {}, nullptr, symbols, names);
    std::vector<std::string> found;
    for (const MemoryAction& action : expected.hit.actions) {
      std::string name = action.name ? std::string(names.text(*action.name)) : "";
      for (const RangePart& part : action.parts)
        name += (name.empty() ? "" : "+") + std::string(names.text(part.name));
      found.push_back(name.empty() ? "?" : name);
    }
    return found;
  }
  OneFunction program;
};

// reg 5; const8 8; add; then the variable: [const8; (ext 8;) add;] const8 4; trace; end
constexpr const char* kFirst = "X0000000A,26000522080222040c27";
constexpr const char* kSecond = "X0000000D,26000522080222040222040c27";
constexpr const char* kLocal = "X0000000F,26000522080222e816080222040c27";

TEST_F(ExpectedNames, ArgumentsAndLocalsAreNamedByTheirFrameOffset) {
  program.locals = {{0, "it"}, {4, "n"}, {-24, "sum"}};
  EXPECT_THAT(names({"collect $args"}, std::string(kFirst) + kSecond + kLocal, &program),
              ElementsAre("it", "n", "sum"));
}

TEST_F(ExpectedNames, VariablesDifferFromArgumentsOfTheFrame) {
  program.locals = {{0, "frame"}, {4, "time"}, {-24, "frames"}};
  EXPECT_THAT(names({"collect $args"}, std::string(kFirst) + kSecond + kLocal, &program),
              ElementsAre("frame (program)", "time (program)", "frames"));
  EXPECT_THAT(names({"collect pc"}, "M-1,1000,8", nullptr), ElementsAre("pc (program)"));
}

TEST_F(ExpectedNames, LocalsMayHaveLargeOffsets) {
  program.locals = {{-24, "near"}, {-148, "far"}, {-100'000, "farther"}};
  EXPECT_THAT(names({"collect $locals"},
                    "X00000010,26000522080223ffe816100222040c27"
                    "X00000010,26000522080223ff6c16100222040c27"
                    "X00000012,26000522080224fffe796016200222040c27",
                    &program),
              ElementsAre("near", "far", "farther"));
}

// GDB omits additions of 0: the remaining number may belong to the frame base or to the variable.
TEST_F(ExpectedNames, TheProgramKnowsWhatANumberBelongsTo) {
  program.locals = {{0, "it"}, {8, "other"}};
  EXPECT_THAT(names({"collect $args"}, kFirst, &program), ElementsAre("it"));
  program.base_adds = false;
  EXPECT_THAT(names({"collect $args"}, kFirst, &program), ElementsAre("other"));
}

TEST_F(ExpectedNames, OtherExpressionsHaveNoFrameOffset) {
  program.locals = {{0, "it"}, {4, "n"}};
  // reg 5; const8 8; mul; …, and an expression that follows a pointer.
  EXPECT_THAT(names({"collect $args"}, "X0000000A,26000522080422040c27", &program), ElementsAre("?"));
  EXPECT_THAT(names({"collect $args"}, "X0000000D,2600052208020d041922040c27", &program), ElementsAre("?"));
}

// An object that is passed by value: "reg 5; const8 8; add; const8 4; add; (trace_quick 8;) ref64; …".
TEST_F(ExpectedNames, IndirectVariablesAreNamed) {
  program.locals = {{4, "direct"}};
  program.indirect = {{4, "text"}, {0, "first"}};
  EXPECT_THAT(names({"collect $args"}, "X00000010,2600052208022204020d081a22200c27", &program),
              ElementsAre("text"));
  EXPECT_THAT(names({"collect $args"}, "X0000000E,2600052208022204021a22200c27", &program),
              ElementsAre("text"));
  EXPECT_THAT(names({"collect $args"}, "X0000000E,2600052208022204021922200c27", &program),
              ElementsAre("text"));
  EXPECT_THAT(names({"collect $args"}, "X0000000B,2600052208021a22200c27", &program), ElementsAre("first"));
  EXPECT_THAT(names({"collect $args"}, "X0000000E,2600052208022204021822200c27", &program), ElementsAre("?"));
}

TEST_F(ExpectedNames, StaticLocalsAreNamedByAddress) {
  program.statics = {{.name = "calls", .object = {0x404050, 4}}, {.name = "other", .object = {0x404060, 4}}};
  program.objects = {{"g_n", {0x404054, 4}}};
  EXPECT_THAT(names({"collect $locals"}, "M-1,404050,4", &program), ElementsAre("calls"));
  EXPECT_THAT(names({"collect g_n, $locals"}, "M-1,404050,8M-1,404060,4", &program),
              ElementsAre("g_n+calls", "other"));
  EXPECT_THAT(names({"collect $args"}, "M-1,404050,4", &program), ElementsAre("?"));
  EXPECT_THAT(names({"collect calls, $locals"}, "M-1,404060,4", &program), ElementsAre("other"));
}

// GDB records a static structure by an expression: const32 0x404120; const8 16; trace; end.
TEST_F(ExpectedNames, StaticStructuresAreNamedByAddress) {
  program.objects = {{"g_n", {0x404080, 4}}, {"g_s", {0x404120, 16}}};
  EXPECT_THAT(names({"collect g_s, g_n"}, "M-1,404080,4X00000009,240040412022100c27", &program),
              ElementsAre("g_n", "g_s"));
}

TEST_F(ExpectedNames, WithoutAProgramFrameOffsetsHaveNoNames) {
  EXPECT_THAT(names({"collect $args"}, std::string(kFirst) + kSecond, nullptr), ElementsAre("?", "?"));
  EXPECT_THAT(names({"collect it, n"}, std::string(kFirst) + kSecond, nullptr), ElementsAre("it", "n"));
}

// GDB sorts ranges by address, so only the addresses of the objects identify them.
TEST_F(ExpectedNames, RangesAreNamedByAddress) {
  constexpr const char* kTwo = "M-1,404038,4M-1,404040,8";
  EXPECT_THAT(names({"collect g_n, g_sum"}, kTwo, nullptr), ElementsAre("?", "?"));
  EXPECT_THAT(names({"collect g_n"}, "M-1,404038,4", nullptr), ElementsAre("g_n"));
  program.objects = {{"g_sum", {0x404040, 8}}, {"g_n", {0x404038, 4}}};
  EXPECT_THAT(names({"collect g_sum, g_n"}, kTwo, &program), ElementsAre("g_n", "g_sum"));
  EXPECT_THAT(names({"collect g_sum, g_n"}, "M-1,404038,10", &program), ElementsAre("g_sum+g_n"));
}

}  // namespace
}  // namespace convert::tfile
