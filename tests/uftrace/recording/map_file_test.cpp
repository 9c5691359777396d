#include "converters/uftrace/recording/map_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;

MemoryMap map_of(std::string_view text) {
  Notes notes;
  MemoryMap map = parse_map(text, "demo/sid-0.map", notes);
  EXPECT_TRUE(notes.empty());
  return map;
}

constexpr std::string_view kMerged =
    "7f5dbe400000-7f5dbea5c000 r-xp 00000000 00:00 0                          /usr/lib/libc.so.6\n"
    "55fc2027a000-55fc2027f000 r-xp 00000000 00:00 0                          /home/u/my program "
    "build-id:6126057874665b06\n"
    "7ffdaaa9a000-7ffdaaabb000 rw-p 00000000 00:00 0                          [stack]\n";

TEST(MapFile, UftracesMergedMapsAreRead) {
  const MemoryMap map = map_of(kMerged);
  EXPECT_THAT(map.modules,
              ElementsAre(Module{0x55fc2027a000, 0x55fc2027f000, "/home/u/my program", "6126057874665b06"},
                          Module{0x7f5dbe400000, 0x7f5dbea5c000, "/usr/lib/libc.so.6", ""}));
  EXPECT_EQ(map.modules[0].basename(), "my program");
  EXPECT_EQ(map.kernel_base, 0xFFFF'8000'0000'0000);
}

TEST(MapFile, ARawMapIsMerged) {
  const MemoryMap map = map_of(
      "# written by a script\n"
      "00400000-00401000 r--p 00000000 08:01 1234 /bin/a\n"
      "00401000-00402000 r-xp 00001000 08:01 1234 /bin/a\n"
      "00402000-00403000 rw-p 00000000 00:00 0 \n"
      "00404000-00405000 rw-p 00002000 08:01 1234 /bin/a\n"
      "00500000-00501000 rw-p 00000000 00:00 0 [heap]\n"
      "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0 [vdso]\n");
  EXPECT_THAT(map.modules, ElementsAre(Module{0x400000, 0x405000, "/bin/a", ""}));
  EXPECT_FALSE(map.kernel_base);
}

TEST(MapFile, ALookupFindsTheModuleAroundAnAddress) {
  const MemoryMap map = map_of(kMerged);
  EXPECT_EQ(map.find(0x55fc20279fff), nullptr);
  EXPECT_EQ(map.find(0x55fc2027a000)->basename(), "my program");
  EXPECT_EQ(map.find(0x55fc2027efff)->basename(), "my program");
  EXPECT_EQ(map.find(0x55fc2027f000), nullptr);
  EXPECT_EQ(map.find(0x7f5dbe400001)->basename(), "libc.so.6");
}

struct Stack {
  std::string_view start;
  std::uint64_t kernel_base;

  friend void PrintTo(const Stack& stack, std::ostream* out) { *out << stack.start; }
};
class KernelBase : public testing::TestWithParam<Stack> {};
TEST_P(KernelBase, FollowsFromTheStack) {
  const std::string line(GetParam().start);
  EXPECT_EQ(map_of(line + "-fffffffffffff000 rw-p 00000000 00:00 0 [stack]").kernel_base,
            GetParam().kernel_base);
}
INSTANTIATE_TEST_SUITE_P(
    All, KernelBase,
    testing::Values(Stack{"3fffffff", 0x4000'0000}, Stack{"40000000", 0x8000'0000},
                    Stack{"7fffffff", 0x8000'0000}, Stack{"80000000", 0xB000'0000},
                    Stack{"afffffff", 0xB000'0000}, Stack{"b0000000", 0xC000'0000},
                    Stack{"bfffffff", 0xC000'0000}, Stack{"c0000000", 0xFFFF'FF80'0000'0000},
                    Stack{"7fffffffff", 0xFFFF'FF80'0000'0000}, Stack{"8000000000", 0xFFFF'FC00'0000'0000},
                    Stack{"3ffffffffff", 0xFFFF'FC00'0000'0000}, Stack{"40000000000", 0xFFFF'8000'0000'0000},
                    Stack{"7fffffffffff", 0xFFFF'8000'0000'0000},
                    Stack{"800000000000", 0xFFFF'0000'0000'0000}));

TEST(MapFile, DamagedLinesAreNotedAndSkipped) {
  Notes notes;
  const MemoryMap map = parse_map(
      "1000-zzz r-xp 0 0 0 /bin/a\n"
      "2000-1000 r-xp 0 0 0 /bin/b\n"
      "3000-4000 r-xp\n"
      "5000-6000 r-xp 0 0 0 /bin/c\n",
      "demo/sid-0.map", notes);
  EXPECT_THAT(map.modules, ElementsAre(Module{0x5000, 0x6000, "/bin/c", ""}));
  EXPECT_THAT(
      notes.groups().front().first,
      ElementsAre("demo/sid-0.map:1: expected end address, a hexadecimal number, found \"zzz r-xp 0 0 0 "
                  "/bin/a\"",
                  "demo/sid-0.map:2: the mapping ends before it starts, found \" r-xp 0 0 0 /bin/b\"",
                  "demo/sid-0.map:3: expected offset, found the end of the line"));
}

TEST(MapFile, EveryPrefixIsAccepted) {
  for (std::size_t size = 0; size <= kMerged.size(); ++size) {
    Notes notes;
    EXPECT_LE(parse_map(kMerged.substr(0, size), "demo/sid-0.map", notes).modules.size(), 2u);
  }
}

}  // namespace
}  // namespace convert::uftrace
