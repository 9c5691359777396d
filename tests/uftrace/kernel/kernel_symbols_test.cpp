// The names that functions get from the kernel's symbol list.
#include "converters/uftrace/kernel/kernel_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convert::uftrace {
namespace {

std::string name_at(std::uint64_t address, std::string_view text) {
  const SymbolTable table{std::string(text)};
  EXPECT_THAT(table.damaged_lines(), testing::IsEmpty());
  return std::string(kernel_name(table, address));
}

TEST(KernelSymbols, AFunctionEndsWhereTheNextBegins) {
  constexpr std::string_view kText =
      "0000000000000000 A fixed_percpu_data\n"
      "ffffffff81000000 T first\n"
      "ffffffff81000100 W weak\n"
      "ffffffff81000200 t of_module\t[ext4]\n"
      "ffffffff81000300 i of_ifunc\n"
      "ffffffff81000400 d data\n";
  EXPECT_EQ(name_at(0xffffffff810000ff, kText), "first");
  EXPECT_EQ(name_at(0xffffffff81000100, kText), "weak");
  EXPECT_EQ(name_at(0xffffffff81000210, kText), "of_module");
  EXPECT_EQ(name_at(0xffffffff81000300, kText), "of_ifunc");
  EXPECT_EQ(name_at(0xffffffff81000400, kText), "");
  EXPECT_EQ(name_at(0xffffffff80ffffff, kText), "");
}

TEST(KernelSymbols, TheLastFunctionHasALimitedSize) {
  EXPECT_EQ(name_at(0x1fff, "1000 t last\n"), "last");
  EXPECT_EQ(name_at(0x2000, "1000 t last\n"), "");
}

TEST(KernelSymbols, TheFirstOfSeveralNamesCounts) {
  EXPECT_EQ(name_at(0x1000, "1000 t a\n1000 T b\n1100 T c\n"), "a");
}

TEST(KernelSymbols, SystemCallsHaveTheNameOfTheKernelsWordSize) {
  EXPECT_EQ(name_at(0x1000,
                    "1000 t __do_sys_getpid\n1000 T __ia32_sys_getpid\n1000 T __x64_sys_getpid\n2000 T x\n"),
            "__x64_sys_getpid");
  EXPECT_EQ(name_at(0x1000, "1000 T __se_sys_getpid\n1000 T __arm64_sys_getpid\n2000 T x\n"),
            "__arm64_sys_getpid");
  EXPECT_EQ(name_at(0x1000, "1000 T SyS_getpid\n1000 T sys_getpid\n2000 T x\n"), "sys_getpid");
  EXPECT_EQ(name_at(0x1000, "1000 T __ia32_sys_getpid\n1000 T __x64_sys_getppid\n2000 T x\n"),
            "__ia32_sys_getpid");
}

// kptr_restrict hides all addresses.
TEST(KernelSymbols, HiddenAddressesHaveNoNames) {
  EXPECT_EQ(name_at(0, "0000000000000000 T a\n0000000000000000 t b\n"), "");
  EXPECT_EQ(name_at(0xffffffff81000000, "0000000000000000 T a\n0000000000000000 t b\n"), "");
}

}  // namespace
}  // namespace convert::uftrace
