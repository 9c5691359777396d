// Tests which registers the user wants: with commands for registers, with `set default-collect`, or without
// any commands.
#include "converters/tfile/actions/wanted_registers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "converters/tfile/description/register_layout.h"

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Registers 0 to 10. All except the last four are general registers.
constexpr std::string_view kAmd64 = R"(
<target><architecture>i386:x86-64</architecture>
<feature name="org.gnu.gdb.i386.core">
  <reg name="rax" bitsize="64" regnum="0"/><reg name="rbp" bitsize="64" type="data_ptr"/>
  <reg name="rsp" bitsize="64" type="data_ptr"/><reg name="rsi" bitsize="64"/><reg name="r8" bitsize="64"/>
  <reg name="rip" bitsize="64" type="code_ptr"/><reg name="eflags" bitsize="32"/>
  <reg name="st0" bitsize="80" type="i387_ext"/><reg name="xmm0" bitsize="128" type="uint128"/>
  <reg name="ymm0h" bitsize="128" type="uint128"/><reg name="zmm0h" bitsize="256" type="v2ui128"/>
</feature></target>)";

class Registers : public testing::Test {
 protected:
  std::vector<std::string> named(std::string_view name) const {
    return names(registers_named(name, &*target_.layout));
  }
  static std::vector<std::string> names(const std::vector<const Register*>& registers) {
    std::vector<std::string> names;
    for (const Register* const reg : registers) names.push_back(reg->name);
    return names;
  }
  WantedRegisters wanted(const std::vector<std::string>& items, std::string_view mask,
                         bool has_commands = true) const {
    std::vector<CollectItem> collected;
    for (const std::string& item : items)
      collected.push_back(
          {.kind = item == "n" ? CollectItem::Kind::Name : CollectItem::Kind::Registers, .text = item});
    fxt::Budget memory(kDescriptionMemory);
    const std::vector<TracepointAction> actions = read_actions(mask, memory).value();
    return wanted_registers(collected, actions, has_commands, &*target_.layout);
  }

  TargetDescription target_ = read_target_description(kAmd64);
};

TEST_F(Registers, HaveGdbsNames) {
  EXPECT_THAT(named("rip"), ElementsAre("rip"));
  EXPECT_THAT(named("pc"), ElementsAre("rip"));
  EXPECT_THAT(named("sp"), ElementsAre("rsp"));
  EXPECT_THAT(named("fp"), ElementsAre("rbp"));
  EXPECT_THAT(named("ps"), ElementsAre("eflags"));
  EXPECT_THAT(named("counter"), IsEmpty());
  EXPECT_THAT(named("a"), IsEmpty());
  EXPECT_TRUE(is_register_name("pc", nullptr));
  EXPECT_TRUE(is_register_name("rip", nullptr)) << "of the commonest machine";
  EXPECT_FALSE(is_register_name("rbx", nullptr));
  EXPECT_TRUE(is_register_name("rbp", &*target_.layout));
  EXPECT_FALSE(is_register_name("hits", &*target_.layout));
}

TEST_F(Registers, AreFoundByNamesOfTheirParts) {
  for (const std::string_view part : {"eax", "ax", "al", "ah"}) EXPECT_THAT(named(part), ElementsAre("rax"));
  for (const std::string_view part : {"esi", "si", "sil"}) EXPECT_THAT(named(part), ElementsAre("rsi"));
  for (const std::string_view part : {"r8d", "r8w", "r8l"}) EXPECT_THAT(named(part), ElementsAre("r8"));
  EXPECT_THAT(named("r8x"), IsEmpty());
  EXPECT_THAT(named("ymm0"), ElementsAre("xmm0", "ymm0h")) << "both halves";
  EXPECT_THAT(named("zmm0"), ElementsAre("xmm0", "ymm0h", "zmm0h")) << "all parts";
  EXPECT_THAT(named("ymm1"), IsEmpty());
  EXPECT_THAT(named("ymmx"), IsEmpty());
}

TEST_F(Registers, AreThoseThatCommandsName) {
  const WantedRegisters some = wanted({"$rax", "n", "$eax", "$st0"}, "R83");
  EXPECT_FALSE(some.all);
  EXPECT_THAT(names(some.named), ElementsAre("rax", "st0")) << "rbp is recorded for the expression";
  EXPECT_TRUE(wanted({"$regs"}, "R3ff").all);
  EXPECT_TRUE(wanted({"n", "$reg"}, "R3ff").all);
}

TEST_F(Registers, AreAllIfTheMaskHasAll) {
  EXPECT_TRUE(wanted({"n"}, "R07f").all) << "collected by default, without a command";
  EXPECT_TRUE(wanted({"n"}, "R7F").all);
  EXPECT_FALSE(wanted({"n"}, "R07e").all);
  EXPECT_FALSE(wanted({"n"}, "R3").all);
  EXPECT_FALSE(wanted({"n"}, "M-1,8000,4").all);
}

TEST_F(Registers, AreAllWithoutCommands) {
  EXPECT_TRUE(wanted({}, "R2", false).all);
  EXPECT_FALSE(wanted({}, "M-1,8000,4", false).all);
  EXPECT_FALSE(wanted_registers({}, {}, false, nullptr).all);
}

}  // namespace
}  // namespace convert::tfile
