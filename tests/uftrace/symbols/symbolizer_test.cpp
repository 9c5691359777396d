#include "converters/uftrace/symbols/symbolizer.h"

#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/symbols/task_symbols.h"
#include "tests/symbols/elf_builder.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

class SymbolizerTest : public testing::Test {
 protected:
  SymbolizerTest() {
    recording_.file("sid-aa.map",
                    "10000-20000 r-xp 00000000 00:00 0    /bin/a\n"
                    "50000-60000 r-xp 00000000 00:00 0    /lib/libc.so.6 build-id:93ac\n"
                    "7ffdaaa9a000-7ffdaaabb000 rw-p 00000000 00:00 0    [stack]\n");
    recording_.file("a.sym",
                    "# path name: /bin/a\n0000000000000100 00000010 P free\n"
                    "0000000000000200 00000020 T _ZN2ns3fooEv\n0000000000004000 00000004 D counter\n");
    recording_.file("libc.so.6.sym", "0000000000000100 00000010 T free\n");
    task_text_ =
        "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
        "TASK timestamp=0.000000010 tid=100 pid=100\n"
        "TASK timestamp=0.000000010 tid=101 pid=100\n";
  }

  Symbolizer& symbolizer() {
    if (!symbolizer_) {
      recording_.file("task.txt", task_text_);
      directory_ = list_directory(recording_.path());
      sessions_ = std::make_unique<Sessions>(directory_, Info{},
                                             read_task_file(directory_, std::endian::little, notes_), notes_);
      symbolizer_.emplace(directory_, *sessions_, demangle_, names_, notes_);
    }
    return *symbolizer_;
  }
  SymbolSpan span(std::uint64_t tid, std::uint64_t time_ns) {
    Symbolizer& ready = symbolizer();
    return ready.span_at(*sessions_->find_task(ThreadId{tid}), time_ns);
  }
  LabelId label_id(std::uint64_t tid, std::uint64_t address, std::uint64_t time_ns) {
    const SymbolSpan when = span(tid, time_ns);
    return symbolizer().label(when, address);
  }
  // Returns "category name" for a call of thread 100.
  std::string label(std::uint64_t address, std::uint64_t time_ns = 20) {
    const Names::Label parts = names_.label(label_id(100, address, time_ns));
    return std::string(names_.text(parts.category)) + " " + std::string(names_.text(parts.name));
  }

  TextRecording recording_;
  std::string task_text_;
  Demangle demangle_ = Demangle::Simple;
  Directory directory_;
  Names names_;
  Notes notes_;
  std::unique_ptr<Sessions> sessions_;
  std::optional<Symbolizer> symbolizer_;
};

TEST_F(SymbolizerTest, ACallBelongsToTheModuleAtItsAddress) {
  EXPECT_EQ(label(0x10200), "a ns::foo");
  EXPECT_EQ(label(0x1021f), "a ns::foo");
  EXPECT_EQ(label(0x50100), "libc.so.6 free");
  EXPECT_EQ(label(0x10100), "a free");  // a call through the PLT has the module of the caller
  EXPECT_EQ(label(0x14002), "a counter");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(SymbolizerTest, DemanglesNamesIfRequested) {
  demangle_ = Demangle::Full;
  EXPECT_EQ(label(0x10200), "a ns::foo()");
}

TEST_F(SymbolizerTest, AddressesWithoutASymbolAreShownAsNumbersAndNotedOnce) {
  EXPECT_EQ(label(0x7fe0255c8133), "[unknown] <7fe0255c8133>");
  EXPECT_EQ(label(0x10220), "a <10220>");
  EXPECT_EQ(label(0x10220), "a <10220>");
  EXPECT_EQ(notes_.count(kNoSymbol), 0u);
  symbolizer().add_notes();
  // The notes are sorted by address. The addresses may be looked up in another order.
  const std::string map = (recording_.path() / "sid-aa.map").native();
  EXPECT_THAT(notes_.groups().front().first,
              testing::ElementsAre(map + ": no symbol at 0x10220 in a",
                                   map + ": no symbol at 0x7fe0255c8133 in [unknown]"));
  EXPECT_EQ(notes_.count(kNoSymbol), 2u);
}

TEST_F(SymbolizerTest, ALibraryIsKnownFromItsLoadOn) {
  task_text_ +=
      "DLOP timestamp=0.000000050 tid=100 sid=aa base=70000 libname=\"/d1/plug.so\"\n"
      "DLOP timestamp=0.000000080 tid=100 sid=aa base=70000 libname=\"/d2/other.so\"\n";
  recording_.file("plug.so.sym", "# path name: /d1/plug.so\n0000000000000100 00000010 T helper_a\n");
  recording_.file("other.so.sym", "# path name: /d2/other.so\n0000000000000100 00000010 T helper_b\n");
  EXPECT_EQ(label(0x70100, 49), "[unknown] <70100>");
  EXPECT_EQ(label(0x70100, 50), "plug.so helper_a");
  EXPECT_EQ(label(0x70100, 80), "other.so helper_b");
  EXPECT_EQ(label(0x10200, 80), "a ns::foo");
}

TEST_F(SymbolizerTest, ALoadedLibraryWithoutASymbolFileIsNoted) {
  ElfBuilder elf;
  elf.load(0, 0x1234);
  elf.add_symbols(".symtab", SHT_SYMTAB, {{"plug", 0x100, 0x10}});
  recording_.file("plug.so", elf.bytes());
  task_text_ += "DLOP timestamp=0.000000050 tid=100 sid=aa base=70000 libname=\"" +
                (recording_.path() / "plug.so").native() + "\"\n";
  EXPECT_EQ(label(0x70104, 50), "plug.so plug");
  EXPECT_EQ(label(0x70204, 50), "[unknown] <70204>");
  symbolizer().add_notes();
  EXPECT_EQ(notes_.count(kUnsureSymbols), 1u);
}

TEST_F(SymbolizerTest, ADebugFileProvidesTheBuildId) {
  ElfBuilder elf;
  elf.load(0, 0x1234);
  elf.add_build_id("abcdefghijklmnopqrst");
  elf.add_symbols(".symtab", SHT_SYMTAB, {{"plug", 0x100, 0x10}});
  recording_.file("plug.so", elf.bytes());
  const std::string path = (recording_.path() / "plug.so").native();
  const auto library_name = [&](std::string_view build_id) {
    recording_.file("plug.so.dbg", "# path name: " + path + "\n# build-id: " + std::string(build_id) + "\n");
    task_text_ += "DLOP timestamp=0.000000050 tid=100 sid=aa base=70000 libname=\"./plug.so\"\n";
    return label(0x70104, 50);
  };
  EXPECT_EQ(library_name("6162636465666768696a6b6c6d6e6f7071727374"), "plug.so plug");
  symbolizer().add_notes();
  EXPECT_EQ(notes_.count(kUnsureSymbols), 0u);
  symbolizer_.reset();
  EXPECT_EQ(library_name("0062636465666768696a6b6c6d6e6f7071727374"), "[unknown] <70104>");
}

TEST_F(SymbolizerTest, ADebugFileNamesFunctions) {
  recording_.file("sid-aa.map", "10000-20000 r-xp 00000000 00:00 0    /bin/killed\n");
  recording_.file("killed.dbg",
                  "# path name: /bin/killed\nF: 100 _ZN2ns3fooEv\nL: 1 a.c\nF: 110 bar\nF: broken\n");
  EXPECT_EQ(label(0x1010f), "killed ns::foo");
  EXPECT_EQ(label(0x10110), "killed bar");
  EXPECT_EQ(label(0x1018f), "killed bar");
  EXPECT_EQ(label(0x10190), "killed <10190>") << "another function may have begun";
  symbolizer().add_notes();
  ASSERT_EQ(notes_.count(kNoSymbolFile), 1u);
  EXPECT_THAT(notes_.groups().front().first.front(),
              testing::EndsWith("; functions of this module have the names in killed.dbg"));
}

TEST_F(SymbolizerTest, SymbolsAreValidUntilTheNextLoadOrExec) {
  task_text_ +=
      "DLOP timestamp=0.000000050 tid=100 sid=aa base=70000 libname=\"/d1/plug.so\"\n"
      "SESS timestamp=0.000000070 pid=100 sid=aa exename=\"/bin/a\"\n"
      "TASK timestamp=0.000000090 tid=100 pid=100\n";
  const SymbolSpan before = span(100, 20);
  EXPECT_EQ(before.from_ns, 10u);
  EXPECT_EQ(before.until_ns, 50u);
  const SymbolSpan after = span(100, 60);
  EXPECT_EQ(after.from_ns, 50u);
  EXPECT_EQ(after.until_ns, 90u);
  EXPECT_NE(before.epoch, after.epoch);
  EXPECT_EQ(span(101, 30).epoch, before.epoch);  // another thread of the same session
}

TEST_F(SymbolizerTest, TaskSymbolsFollowTheTime) {
  task_text_ += "DLOP timestamp=0.000000050 tid=100 sid=aa base=70000 libname=\"/d1/plug.so\"\n";
  Symbolizer& ready = symbolizer();
  TaskSymbols symbols(ready, *sessions_->find_task(ThreadId{100}));
  EXPECT_EQ(symbols.until_ns(), 0u);
  EXPECT_TRUE(symbols.move_to(20));
  EXPECT_EQ(symbols.until_ns(), 50u);
  EXPECT_FALSE(symbols.move_to(49)) << "nothing was loaded in between";
  const std::uint32_t before = symbols.epoch();
  EXPECT_TRUE(symbols.move_to(50));
  EXPECT_NE(symbols.epoch(), before);
  EXPECT_TRUE(symbols.move_to(20)) << "time may go back";
  EXPECT_EQ(symbols.epoch(), before);
}

struct LineNine : FunctionLines {
  NameId line_of(const SymbolAt& function) override {
    return function.symbol != nullptr ? NameId{9} : CallLabel::kNoLine;
  }
};

TEST_F(SymbolizerTest, TaskSymbolsCacheTheirResults) {
  Symbolizer& ready = symbolizer();
  LineNine lines;
  LabelCaches first, second;
  TaskSymbols symbols(ready, *sessions_->find_task(ThreadId{100}), &lines);
  symbols.use_caches(first);
  EXPECT_EQ(symbols.cache(), nullptr);
  symbols.move_to(20);
  const LabelId label = symbols.label(0x10100);
  EXPECT_EQ(symbols.call_label(0x10100).label, label);
  ASSERT_NE(symbols.cache()->find(0x10100), nullptr);
  EXPECT_EQ(symbols.cache()->find(0x10100)->line, NameId{9});
  EXPECT_EQ(symbols.label(0x10100), label);
  symbols.use_caches(second);
  EXPECT_EQ(symbols.cache()->find(0x10100), nullptr) << "another worker has its own";
}

TEST_F(SymbolizerTest, KernelAddressesHaveKernelNames) {
  recording_.file("kallsyms", "ffffffff81000000 T do_sys_open\nffffffff81000100 t next\n");
  EXPECT_EQ(label(0xffffffff81000010), "[kernel] do_sys_open");
  EXPECT_EQ(label(0xffff800000000000), "[kernel] <ffff800000000000>");
}

TEST_F(SymbolizerTest, KernelAddressesHaveTheSameLabelsForTasksAndTheKernel) {
  recording_.file("kallsyms", "ffffffff81000000 t __do_sys_sync\nffffffff81000000 T __x64_sys_sync\n");
  for (const std::uint64_t address : {0xffffffff81000010, 0xffffffff81001000})
    EXPECT_EQ(label_id(100, address, 20), symbolizer().kernel_label(address));
  EXPECT_EQ(label(0xffffffff81000010), "[kernel] __x64_sys_sync");
  EXPECT_EQ(label(0xffffffff81001000), "[kernel] <ffffffff81001000>") << "behind the last function";
  symbolizer().add_notes();
  EXPECT_THAT(notes_.groups().front().first,
              testing::ElementsAre((recording_.path() / "kallsyms").native() +
                                   ": no symbol at 0xffffffff81001000 in [kernel]"));
}

TEST_F(SymbolizerTest, WithoutTheStacksAddressNoAddressIsInTheKernel) {
  recording_.file("sid-aa.map", "10000-20000 r-xp 00000000 00:00 0    /bin/a\n");
  EXPECT_EQ(label(0x10200), "a ns::foo");
  EXPECT_EQ(label(0xffffffff81000010), "[unknown] <ffffffff81000010>");
}

TEST_F(SymbolizerTest, PythonFunctionsAreFoundByTheirNumber) {
  recording_.file("python.fake.sym",
                  "# symbols: 2\n# path name: python.fake\n"
                  "0000000000000001 T __main__.<module>\n0000000000000002 P dict.get\n");
  EXPECT_EQ(label(1), "python.fake __main__.<module>");
  EXPECT_EQ(label(2), "python.fake dict.get");
  EXPECT_EQ(label(0), "[unknown] <0>");
  EXPECT_EQ(label(0xfff), "python.fake dict.get");
  EXPECT_EQ(label(0x1000), "[unknown] <1000>");
}

TEST_F(SymbolizerTest, CallsOfAnUnknownProgramAreShownAsNumbers) {
  recording_.file("900.dat", "").file("sid-bb.map", "");
  task_text_ += "SESS timestamp=0.000000010 pid=200 sid=bb exename=\"/bin/b\"\n";
  const Names::Label parts = names_.label(label_id(900, 0x10200, 20));
  EXPECT_EQ(names_.text(parts.category), "[unknown]");
  EXPECT_EQ(names_.text(parts.name), "<10200>");
}

}  // namespace
}  // namespace convert::uftrace
