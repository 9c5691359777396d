// Target descriptions, default layouts, and registers as values (fact sheet, section 5).
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "converters/tfile/description/default_layouts.h"
#include "converters/tfile/description/target_description.h"
#include "converters/tfile/events/values.h"

namespace convert::tfile {
namespace {

constexpr std::string_view kTarget = R"(
<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target><architecture>mips</architecture><osabi>GNU/Linux</osabi>
<feature name="org.gnu.gdb.mips.cpu">
  <reg name="r0" bitsize="32" regnum="0"/><reg name="r1" bitsize="32" type="uint32"/>
  <reg name="lo" bitsize="32" regnum="33"/>
  <reg name="pc" bitsize="32" type="code_ptr" regnum="37"/>
</feature>
<feature name="org.gnu.gdb.mips.cp0">
  <flags id="sr" size="4"><field name="IE" start="0" end="0"/><field name="" start="1"/>
    <field name="KSU" start="3" end="4"/></flags>
  <reg name="status" bitsize="32" regnum="32" type="sr"/></feature>
<feature name="org.gnu.gdb.mips.fpu">
  <vector id="v2" type="int32" count="2"/>
  <reg name="f0" bitsize="64" type="ieee_double" regnum="38"/><reg name="w0" bitsize="64" type="v2"/>
</feature></target>)";

TEST(TargetDescription, LaysRegistersOutByNumber) {
  const auto target = read_target_description(kTarget);
  EXPECT_EQ(target.architecture, "mips");
  ASSERT_TRUE(target.layout);
  const RegisterLayout& layout = *target.layout;
  EXPECT_EQ(layout.size(), 36u);
  EXPECT_EQ(layout.find("r1")->offset, 4u);
  EXPECT_EQ(layout.find("status")->offset, 8u);  // number 32, before lo
  EXPECT_EQ(layout.find("lo")->offset, 12u);
  EXPECT_EQ(layout.pc()->offset, 16u);
  EXPECT_EQ(layout.by_number(39)->name, "w0");
  EXPECT_EQ(layout.by_number(2), nullptr);
  EXPECT_EQ(layout.byte_order(), std::nullopt);
}

TEST(TargetDescription, KnowsKindsOfRegisters) {
  const auto target = read_target_description(kTarget);
  const RegisterLayout& layout = *target.layout;
  EXPECT_EQ(layout.find("r0")->kind, RegisterKind::Signed);
  EXPECT_EQ(layout.find("r1")->kind, RegisterKind::Unsigned);
  EXPECT_EQ(layout.find("pc")->kind, RegisterKind::Pointer);
  EXPECT_EQ(layout.find("status")->kind, RegisterKind::Flags);
  EXPECT_EQ(layout.find("f0")->kind, RegisterKind::Float);
  EXPECT_EQ(layout.find("w0")->kind, RegisterKind::Bytes);
  EXPECT_TRUE(layout.find("lo")->is_general);
  EXPECT_FALSE(layout.find("f0")->is_general);
  EXPECT_EQ(flags_text(*layout.find("status"), 0x19), "[ IE KSU=3 ]");
}

TEST(TargetDescription, SaysWhatIsWrong) {
  const auto problem = [](std::string_view xml) -> std::string {
    try {
      read_target_description(xml);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(problem("<target><reg"), "Error parsing start element tag at byte 11");
  EXPECT_EQ(problem("<other/>"), "no <target> element");
  EXPECT_EQ(problem("<target><feature><reg name='a' bitsize='0'/></feature></target>"),
            "register a has 0 bits");
  EXPECT_EQ(problem("<target><feature><reg name='a' bitsize='8'/><reg name='b' bitsize='8' regnum='0'/>"
                    "</feature></target>"),
            "registers a and b have the same number 0");
  EXPECT_FALSE(read_target_description("<target><architecture>arm</architecture></target>").layout);
}

struct Default {
  std::string_view architecture;
  std::size_t pc_offset, size;
  std::string_view last;
};
class DefaultLayouts : public testing::TestWithParam<Default> {};
INSTANTIATE_TEST_SUITE_P(
    All, DefaultLayouts,
    testing::Values(Default{"i386:x86-64", 128, 2416, "zmm31h"}, Default{"i386", 32, 760, "zmm7h"},
                    Default{"aarch64", 256, 788, "fpcr"}, Default{"arm", 60, 168, "cpsr"},
                    Default{"mips", 148, 292, ""}, Default{"mips:isa64", 296, 584, ""},
                    Default{"powerpc:common", 384, 932, "vrsave"},
                    Default{"powerpc:common64", 512, 1076, "vrsave"},
                    Default{"s390:64-bit", 8, 348, "orig_r2"}, Default{"s390:31-bit", 4, 272, "orig_r2"},
                    Default{"riscv:rv64", 256, 264, "pc"}, Default{"riscv:rv32", 128, 132, "pc"},
                    Default{"sparc:v9", 512, 560, "y"}, Default{"sparc", 272, 288, "csr"},
                    Default{"m68k", 68, 180, "fpiaddr"}, Default{"sh", 64, 92, "sr"},
                    Default{"alpha", 512, 536, "unique"}));
TEST_P(DefaultLayouts, AreThoseOfGdb) {
  const RegisterLayout* layout = default_layout(GetParam().architecture);
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->architecture(), GetParam().architecture);
  EXPECT_EQ(layout->pc()->offset, GetParam().pc_offset);
  EXPECT_EQ(layout->size(), GetParam().size);
  EXPECT_EQ(layout->registers().back().name, GetParam().last);
  EXPECT_NE(layout->sp(), nullptr);
}

// By which a target is told that does not say what it is (fact sheet, section 5).
TEST(DefaultLayouts, HaveTypicalSizes) {
  const auto are_typical = [](std::string_view architecture, std::vector<std::size_t> sizes) {
    const RegisterLayout& layout = *default_layout(architecture);
    for (const std::size_t size : sizes)
      if (!is_typical_size(layout, size) || is_typical_size(layout, size + 1)) return false;
    return !is_typical_size(layout, 0) && !is_typical_size(layout, 12);
  };
  EXPECT_TRUE(are_typical("i386:x86-64", {0x94, 0x218, 0x230, 0x330, 0x970}));
  EXPECT_TRUE(are_typical("i386", {0x40, 0x134, 0x138, 0x1b8, 0x2f8}));
  EXPECT_TRUE(are_typical("arm", {0xa8, 0x44}));
  EXPECT_TRUE(are_typical("aarch64", {0x314}));
  EXPECT_TRUE(are_typical("mips", {0x98, 0x124})) << "of the kernel's module, and with floating point";
  EXPECT_TRUE(are_typical("mips:isa64", {0x130, 0x248}));
  EXPECT_TRUE(are_typical("powerpc:common", {0x19c}));
  EXPECT_TRUE(are_typical("powerpc:common64", {0x22c}));
  EXPECT_TRUE(are_typical("s390:64-bit", {0x154, 0x15c})) << "without and with orig_r2";
  EXPECT_TRUE(are_typical("s390:31-bit", {0x10c, 0x110}));
  EXPECT_TRUE(are_typical("riscv:rv64", {0x108}));
  EXPECT_TRUE(are_typical("riscv:rv32", {0x84}));
  EXPECT_TRUE(are_typical("sparc:v9", {0x230}));
  EXPECT_TRUE(are_typical("sparc", {0x120}));
  EXPECT_TRUE(are_typical("m68k", {0xb4}));
  EXPECT_TRUE(are_typical("alpha", {0x218}));
}

TEST(DefaultLayouts, ServeTheVariantsOfAnArchitecture) {
  EXPECT_EQ(default_layout("mips:isa64r2")->architecture(), "mips");
  EXPECT_EQ(default_layout("armv7")->architecture(), "arm");
  EXPECT_EQ(default_layout("riscv")->architecture(), "riscv:rv64");
  EXPECT_EQ(default_layout("vax"), nullptr);
}

}  // namespace
}  // namespace convert::tfile
