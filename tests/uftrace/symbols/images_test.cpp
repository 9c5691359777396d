#include "converters/uftrace/symbols/images.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "converters/model/names/names.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/symbols/call_labels.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

TEST(Images, ALibraryHidesAnEarlierLibraryAtTheSameAddresses) {
  TextRecording recording;
  recording.file("first.so.sym", "# path name: /first.so\n0000000000000100 00000010 T first\n");
  recording.file("second.so.sym", "# path name: /second.so\n0000000000000108 00000008 T second\n");
  const AddressSpace space{.sid = "aa",
                           .libraries = {{.time_ns = 10, .base = 0x7000, .path = "/first.so"},
                                         {.time_ns = 20, .base = 0x7000, .path = "/second.so"}}};
  const Directory directory = list_directory(recording.path());
  Notes notes;
  Images images(directory, {}, notes);
  const auto name_at = [&](std::size_t libraries, std::uint64_t address) {
    const SymbolAt found = images.at({.space = &space, .libraries = libraries}, address);
    return found.symbol != nullptr ? std::string(found.symbol->name) : "-";
  };
  EXPECT_EQ(name_at(0, 0x7108), "-");
  EXPECT_EQ(name_at(1, 0x7108), "first");
  EXPECT_EQ(name_at(2, 0x7108), "second");
  EXPECT_EQ(name_at(2, 0x7107), "first") << "the second one has no function there";
  EXPECT_EQ(images.at({.space = nullptr, .libraries = 0}, 0x7108).image, nullptr);
}

TEST(Images, AModuleMatchesByTheStartOfItsNameAndOtherImagesByTheWholeName) {
  const SymbolTable table("100 10 T f\n");
  AddressSpace space;
  space.map.modules = {{0x1000, 0x2000, "/a/libx.so.1", ""},
                       {0x2000, 0x3000, "/b/libx.so.1", ""},
                       {0x3000, 0x4000, "/b/libx.so.2", ""},
                       {0x4000, 0x5000, "/b/libm", ""}};
  space.names = ModuleNames(space.map.modules);
  const auto is_in = [&](const Module& module, std::string_view name) {
    const Image image = Image::of(module);
    return SymbolAt{.image = &image, .symbol = table.find_function(0x100)}.is_in(name, &space);
  };
  const Module &first = space.map.modules[0], &namesake = space.map.modules[1], &other = space.map.modules[2];
  EXPECT_TRUE(is_in(first, "libx"));
  EXPECT_TRUE(is_in(namesake, "libx"));
  EXPECT_FALSE(is_in(other, "libx"));
  EXPECT_TRUE(is_in(other, "libx.so.2"));
  EXPECT_FALSE(is_in(first, "liby"));
  EXPECT_FALSE(is_in(space.map.modules[3], "lib")) << "libx.so.1 is the first one";
  EXPECT_TRUE(is_in(space.map.modules[3], "libm"));
  EXPECT_FALSE(is_in(space.map.modules[3], "libm.so"));
}

std::string kernel_name_at(std::uint64_t address, std::string_view text) {
  const SymbolTable table{std::string(text)};
  EXPECT_THAT(table.damaged_lines(), testing::IsEmpty());
  const Symbol* const function = find_kernel_function(table, address);
  return function != nullptr ? std::string(function->name) : "";
}

TEST(KernelFunctions, AFunctionEndsAtTheStartOfTheNextFunction) {
  constexpr std::string_view kText =
      "0000000000000000 A fixed_percpu_data\n"
      "ffffffff81000000 T first\n"
      "ffffffff81000100 W weak\n"
      "ffffffff81000200 t of_module\t[ext4]\n"
      "ffffffff81000300 i of_ifunc\n"
      "ffffffff81000400 d data\n";
  EXPECT_EQ(kernel_name_at(0xffffffff810000ff, kText), "first");
  EXPECT_EQ(kernel_name_at(0xffffffff81000100, kText), "weak");
  EXPECT_EQ(kernel_name_at(0xffffffff81000210, kText), "of_module");
  EXPECT_EQ(kernel_name_at(0xffffffff81000300, kText), "of_ifunc");
  EXPECT_EQ(kernel_name_at(0xffffffff81000400, kText), "");
  EXPECT_EQ(kernel_name_at(0xffffffff80ffffff, kText), "");
}

TEST(KernelFunctions, TheLastFunctionHasALimitedSize) {
  EXPECT_EQ(kernel_name_at(0x1fff, "1000 t last\n"), "last");
  EXPECT_EQ(kernel_name_at(0x2000, "1000 t last\n"), "");
}

TEST(KernelFunctions, TheFirstOfSeveralNamesIsUsed) {
  EXPECT_EQ(kernel_name_at(0x1000, "1000 t a\n1000 T b\n1100 T c\n"), "a");
}

TEST(KernelFunctions, SystemCallsHaveTheNameOfTheKernelsWordSize) {
  EXPECT_EQ(
      kernel_name_at(0x1000,
                     "1000 t __do_sys_getpid\n1000 T __ia32_sys_getpid\n1000 T __x64_sys_getpid\n2000 T x\n"),
      "__x64_sys_getpid");
  EXPECT_EQ(kernel_name_at(0x1000, "1000 T __se_sys_getpid\n1000 T __arm64_sys_getpid\n2000 T x\n"),
            "__arm64_sys_getpid");
  EXPECT_EQ(kernel_name_at(0x1000, "1000 T SyS_getpid\n1000 T sys_getpid\n2000 T x\n"), "sys_getpid");
  EXPECT_EQ(kernel_name_at(0x1000, "1000 T __ia32_sys_getpid\n1000 T __x64_sys_getppid\n2000 T x\n"),
            "__ia32_sys_getpid");
}

// If kptr_restrict hides the addresses, all of them are 0.
TEST(KernelFunctions, HiddenAddressesHaveNoNames) {
  EXPECT_EQ(kernel_name_at(0, "0000000000000000 T a\n0000000000000000 t b\n"), "");
  EXPECT_EQ(kernel_name_at(0xffffffff81000000, "0000000000000000 T a\n0000000000000000 t b\n"), "");
}

TEST(CallLabels, AreReturnedInTheOrderOfTheAddresses) {
  const SymbolTable table("100 10 T _ZN2ns3fooEv\n200 10 T bar\n");
  const Image image{.kind = Image::Kind::Module, .path = "/bin/a", .symbols = &table};
  const SymbolAt foo{.image = &image, .symbol = table.find_function(0x100)};
  const SymbolAt bar{.image = &image, .symbol = table.find_function(0x200)};
  Names names;
  CallLabels call_labels(Demangle::Simple, names);
  const std::array<std::uint64_t, 4> addresses{0x200, 0x300, 0x100, 0x204};
  std::array<LabelId, 4> labels;
  call_labels.find(nullptr, addresses, std::array{bar, SymbolAt{.image = &image}, foo, bar}, labels);
  const auto text = [&](LabelId label) {
    return std::string(names.text(names.label(label).category)) + " " +
           std::string(names.text(names.label(label).name));
  };
  EXPECT_EQ(text(labels[0]), "a bar");
  EXPECT_EQ(text(labels[1]), "a <300>");
  EXPECT_EQ(text(labels[2]), "a ns::foo");
  EXPECT_EQ(labels[3], labels[0]);

  Notes notes;
  call_labels.add_notes({.folder = std::make_shared<const fxt::Folder>("demo")}, notes);
  EXPECT_EQ(notes.groups().front().first.front(), "demo/task.txt: no symbol at 0x300 in a");
}

}  // namespace
}  // namespace convert::uftrace
