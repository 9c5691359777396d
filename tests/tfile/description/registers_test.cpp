// Tests target descriptions, default layouts, and the values of registers.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/tfile/description/register_layout.h"
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

TEST(TargetDescription, OrdersRegistersByNumber) {
  const auto target = read_target_description(kTarget);
  EXPECT_EQ(target.architecture, "mips");
  ASSERT_TRUE(target.layout);
  const RegisterLayout& layout = *target.layout;
  EXPECT_EQ(layout.size(), 36u);
  EXPECT_EQ(layout.find("r1")->offset, 4u);
  EXPECT_EQ(layout.find("status")->offset, 8u);  // register 32, before lo
  EXPECT_EQ(layout.find("lo")->offset, 12u);
  EXPECT_EQ(layout.pc()->offset, 16u);
  EXPECT_EQ(layout.by_number(39)->name, "w0");
  EXPECT_EQ(layout.by_number(2), nullptr);
  EXPECT_EQ(layout.byte_order(), std::nullopt);
}

TEST(TargetDescription, DistinguishesKindsOfRegisters) {
  const auto target = read_target_description(kTarget);
  const RegisterLayout& layout = *target.layout;
  EXPECT_EQ(layout.find("r0")->form, ValueForm::Signed);
  EXPECT_EQ(layout.find("r1")->form, ValueForm::Unsigned);
  EXPECT_EQ(layout.find("pc")->form, ValueForm::Pointer);
  EXPECT_EQ(layout.find("status")->form, ValueForm::Flags);
  EXPECT_EQ(layout.find("f0")->form, ValueForm::Float);
  EXPECT_EQ(layout.find("w0")->form, ValueForm::Bytes);
  EXPECT_TRUE(layout.find("lo")->is_general);
  EXPECT_FALSE(layout.find("f0")->is_general);
  EXPECT_EQ(flags_text(*layout.find("status"), 0x19), "[ IE KSU=3 ]");
}

TEST(TargetDescription, UnderstandsTheTypesOfGdb) {
  const auto form = [](std::string_view type, std::size_t bits) {
    const auto target = read_target_description(fmt::format(
        "<target><feature name='f'><enum id='e' size='4'/><struct id='s' size='8'/><union id='u'/>"
        "<flags id='fl' size='4'/><reg name='r' bitsize='{}' type='{}'/></feature></target>",
        bits, type));
    return target.layout->registers().front().form;
  };
  for (const std::string_view type : {"int", "long", "int8", "int64"})
    EXPECT_EQ(form(type, 64), ValueForm::Signed);
  EXPECT_EQ(form("uint8", 8), ValueForm::Unsigned);
  EXPECT_EQ(form("data_ptr", 64), ValueForm::Pointer);
  EXPECT_EQ(form("ieee_single", 32), ValueForm::Float);
  EXPECT_EQ(form("ieee_double", 64), ValueForm::Float);
  EXPECT_EQ(form("float", 32), ValueForm::Float);
  EXPECT_EQ(form("float", 64), ValueForm::Float);
  EXPECT_EQ(form("e", 32), ValueForm::Unsigned);
  EXPECT_EQ(form("s", 64), ValueForm::Unsigned);
  EXPECT_EQ(form("fl", 64), ValueForm::Flags);
  for (const std::string_view type : {"int128", "uint128", "code_ptr", "e", "s", "fl"})
    EXPECT_EQ(form(type, 72), ValueForm::Bytes) << type << " has no more than 8 bytes";
  for (const std::string_view type : {"u", "i387_ext", "float", "vec128", "ieee_half"})
    EXPECT_EQ(form(type, 16), ValueForm::Bytes) << type;
  EXPECT_EQ(form("ieee_single", 64), ValueForm::Bytes);
  EXPECT_EQ(form("ieee_double", 32), ValueForm::Bytes);
}

TEST(TargetDescription, DistinguishesGeneralRegisters) {
  const auto is_general = [](std::string_view feature, std::string_view reg) {
    const auto target = read_target_description(fmt::format(
        "<target><feature name='org.gnu.gdb.{}'><reg bitsize='32' {}/></feature></target>", feature, reg));
    return target.layout->registers().front().is_general;
  };
  EXPECT_TRUE(is_general("i386.core", "name='rax'"));
  EXPECT_TRUE(is_general("i386.core", "name='rax' group='general'"));
  EXPECT_FALSE(is_general("i386.core", "name='r' group='float'"));
  EXPECT_FALSE(is_general("i386.core", "name='r' group='vector'"));
  EXPECT_FALSE(is_general("i386.core", "name='r' type='ieee_single'"));
  for (const std::string_view name : {"fctrl", "mxcsr", "fpcr", "bndstatus", "bndcfgu", "vrsave"})
    EXPECT_FALSE(is_general("i386.core", fmt::format("name='{}'", name))) << name;
  for (const std::string_view feature : {"mips.fpu", "i386.avx", "arm.vfp", "power.altivec", "i386.pkeys"})
    EXPECT_FALSE(is_general(feature, "name='rax'")) << feature;
}

TEST(TargetDescription, HasLimits) {
  const auto reads = [](std::size_t bits) {
    try {
      read_target_description(
          fmt::format("<target><feature><reg name='a' bitsize='{}'/></feature></target>", bits));
    } catch (const std::runtime_error&) {
      return false;
    }
    return true;
  };
  EXPECT_TRUE(reads(8));
  EXPECT_FALSE(reads(7));
  EXPECT_FALSE(reads(12));
  EXPECT_TRUE(reads(8 * 65536)) << "64 KiB, as SME has them";
  EXPECT_FALSE(reads(8 * 65537));
  const auto flags = read_target_description(
      "<target><feature><flags id='fl' size='8'><field name='LAST' start='63'/><field name='FAR' start='64'/>"
      "<field name='OVER' start='60' end='64'/><field name='BACK' start='4' end='3'/></flags>"
      "<reg name='r' bitsize='64' type='fl'/></feature></target>");
  EXPECT_EQ(flags_text(flags.layout->registers().front(), ~std::uint64_t{0}), "[ LAST ]");
}

// Registers of the same type share the fields of the type. The field names of a type have at most 4096
// characters in total.
TEST(TargetDescriptions, HaveALimitOfFields) {
  const auto layout_of = [](std::string_view content) {
    return read_target_description(fmt::format("<target><feature>{}</feature></target>", content));
  };
  const std::string flags = "<flags id='f' size='8'><field name='LAST' start='63'/></flags>";
  const auto shared =
      layout_of(flags + "<reg name='a' bitsize='64' type='f'/><reg name='b' bitsize='64' type='f'/>");
  const auto& registers = shared.layout->registers();
  EXPECT_EQ(registers[0].flags, registers[1].flags);

  const std::string long_name(5000, 'x');
  const auto refused =
      layout_of(fmt::format("<flags id='f' size='8'><field name='{}' start='0'/></flags>"
                            "<reg name='a' bitsize='64' type='f'/><reg name='b' bitsize='64' type='f'/>",
                            long_name));
  EXPECT_EQ(refused.layout->registers().back().form, ValueForm::Unsigned);
  EXPECT_THAT(refused.problems,
              testing::ElementsAre("type 'f' has more than 4096 characters in the field names of a flags "
                                   "type, so registers of this type are shown as numbers"));

  const auto problem_of = [&](std::string_view content) {
    try {
      layout_of(content);
    } catch (const std::runtime_error& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  std::string many;
  for (int i = 0; i < 300; ++i) many += fmt::format("<reg name='r{}' bitsize='524288'/>", i);
  EXPECT_EQ(problem_of(many), "more than 16 MiB of registers");
  EXPECT_EQ(problem_of(std::string(3 << 20, ' ')), "more than 2 MiB of a target description");
}

// If several registers have the same name, find() returns the first of them.
TEST(RegisterLayouts, FindRegistersByName) {
  const auto target = read_target_description(
      "<target><feature><reg name='b' bitsize='32'/><reg name='a' bitsize='32'/><reg name='b' bitsize='64'/>"
      "</feature></target>");
  EXPECT_EQ(target.layout->find("b")->size, 4U);
  EXPECT_EQ(target.layout->find("a")->number, 1U);
  EXPECT_EQ(target.layout->find("c"), nullptr);
}

TEST(RegisterRoles, DependOnTheMachine) {
  const auto roles = [](std::string architecture, std::initializer_list<std::string> names,
                        std::size_t size = 4) {
    std::vector<Register> registers;
    for (const std::string& name : names)
      registers.push_back(
          {.name = name, .number = static_cast<unsigned>(registers.size()), .size = size, .flags = {}});
    const RegisterLayout layout(std::move(architecture), std::move(registers));
    return fmt::format("{} {} {}", layout.pc() != nullptr ? layout.pc()->name : "-",
                       layout.sp() != nullptr ? layout.sp()->name : "-",
                       layout.thread_pointer() ? layout.thread_pointer()->name : "-");
  };
  EXPECT_EQ(roles("i386:x86-64", {"rsp", "rip", "fs_base"}, 8), "rip rsp fs");
  EXPECT_EQ(roles("i386:x86-64", {"rsp", "rip", "fs_base"}, 9), "- - -") << "they are no addresses";
  EXPECT_EQ(roles("i386", {"esp", "eip", "gs"}), "eip esp -") << "gs is the same for all threads";
  EXPECT_EQ(roles("mips", {"r29", "pc"}), "pc r29 -");
  EXPECT_EQ(roles("powerpc:common", {"r1", "r2", "r13", "pc"}), "pc r1 r2");
  EXPECT_EQ(roles("powerpc:common64", {"r1", "r2", "r13", "pc"}, 8), "pc r1 r13");
  EXPECT_EQ(roles("riscv:rv64", {"x2", "tp", "pc"}, 8), "pc x2 tp");
  EXPECT_EQ(roles("arm", {"r13", "pc", "tpidruro"}), "pc r13 tpidruro");
  EXPECT_EQ(roles("s390:31-bit", {"pswa", "r15", "acr0", "acr1"}), "pswa r15 acr0");
  EXPECT_EQ(roles("s390:64-bit", {"pswa", "r15", "acr0", "acr1"}, 8), "pswa r15 acr0:acr1");
  EXPECT_EQ(roles("s390:64-bit", {"pswa", "acr0"}, 8), "pswa - -");
  EXPECT_EQ(roles("sparc", {"o6", "g7", "pc"}), "pc o6 g7");
  EXPECT_EQ(roles("vax", {"pswa", "r15", "r29", "tp"}), "- - -");
}

// On s390, an address of 31 bits is in a register of 32 bits. The top bit of this register is the addressing
// mode.
TEST(RegisterRoles, APcOf31BitsHasNoTopBit) {
  const auto pc = [](std::size_t size, std::initializer_list<unsigned> bytes, std::string name = "pswa") {
    std::vector<std::byte> block;
    for (const unsigned byte : bytes) block.push_back(static_cast<std::byte>(byte));
    const RegisterLayout layout("s390", {Register{.name = std::move(name), .size = size, .flags = {}}});
    return pc_of(layout, block, std::endian::big);
  };
  EXPECT_EQ(pc(4, {0x80, 1, 2, 3}), 0x00010203u);
  EXPECT_EQ(pc(4, {0xff, 0xff, 0xff, 0xff}), 0x7fff'ffffu);
  EXPECT_EQ(pc(4, {0x80, 1, 2, 3}, "pc"), 0x80010203u);
  EXPECT_EQ(pc(8, {0x80, 0, 0, 0, 0x80, 1, 2, 3}), 0x8000'0000'8001'0203u);
  EXPECT_EQ(pc(4, {0x80, 1, 2}), std::nullopt) << "cut off";
}

TEST(RegisterRoles, NamesOfArchitecturesGiveTheByteOrder) {
  const auto order = [](std::string architecture) {
    return RegisterLayout(std::move(architecture), {}).byte_order();
  };
  for (const char* const little : {"i386:x86-64", "riscv:rv64", "alpha", "nios2", "avr"})
    EXPECT_EQ(order(little), std::endian::little) << little;
  for (const char* const big : {"s390:64-bit", "sparc:v9", "m68k", "hppa", "or1k"})
    EXPECT_EQ(order(big), std::endian::big) << big;
  for (const char* const either : {"mips", "powerpc:common64", "arm", "aarch64"})
    EXPECT_EQ(order(either), std::nullopt) << either;
}

TEST(TargetDescription, DescribesItsErrors) {
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

  friend void PrintTo(const Default& layout, std::ostream* out) { *out << layout.architecture; }
};
class DefaultLayouts : public testing::TestWithParam<Default> {};
INSTANTIATE_TEST_SUITE_P(
    All, DefaultLayouts,
    testing::Values(Default{"i386:x86-64", 128, 2416, "zmm31h"}, Default{"i386", 32, 760, "zmm7h"},
                    Default{"aarch64", 256, 788, "fpcr"}, Default{"arm", 60, 168, "cpsr"},
                    Default{"mips", 148, 292, ""}, Default{"mips:isa64", 296, 584, ""},
                    Default{"powerpc:common", 384, 932, "vrsave"},
                    Default{"powerpc:common64", 512, 1076, "vrsave"},
                    Default{"powerpc:e500", 256, 292, "spefscr"}, Default{"s390:64-bit", 8, 348, "orig_r2"},
                    Default{"s390:31-bit", 4, 272, "orig_r2"}, Default{"riscv:rv64", 256, 264, "pc"},
                    Default{"riscv:rv32", 128, 132, "pc"}, Default{"sparc:v9", 512, 560, "y"},
                    Default{"sparc", 272, 288, "csr"}, Default{"m68k", 68, 180, "fpiaddr"},
                    Default{"sh", 64, 92, "sr"}, Default{"alpha", 512, 536, "unique"}));
TEST_P(DefaultLayouts, AreTheSameAsGdbs) {
  const RegisterLayout* layout = default_layout(GetParam().architecture);
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->architecture(), GetParam().architecture);
  EXPECT_EQ(layout->pc()->offset, GetParam().pc_offset);
  EXPECT_EQ(layout->size(), GetParam().size);
  EXPECT_EQ(layout->registers().back().name, GetParam().last);
  EXPECT_NE(layout->sp(), nullptr);
}

// If the architecture is unknown and several layouts fit equally well, the converter prefers a layout for
// which the size of the register block is typical.
TEST(DefaultLayouts, HaveTypicalSizes) {
  const auto are_typical = [](std::string_view architecture, const std::vector<std::size_t>& sizes) {
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
  EXPECT_TRUE(are_typical("powerpc:e500", {0x124}));
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
