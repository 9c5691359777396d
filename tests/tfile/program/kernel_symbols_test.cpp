// Tests lists of kernel symbols: /proc/kallsyms and System.map.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "converters/model/notes.h"
#include "converters/model/reading/input_error.h"
#include "converters/tfile/program/symbols.h"
#include "tests/tfile/trace_builder.h"

namespace convert::tfile {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// A new file. The destructor removes it.
class SymbolList {
 public:
  explicit SymbolList(std::string_view text) {
    std::string name = (std::filesystem::temp_directory_path() / "symbols-XXXXXX").string();
    std::fclose(::fdopen(::mkstemp(name.data()), "w"));
    path_ = name;
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~SymbolList() { std::filesystem::remove(path_); }
  SymbolList(const SymbolList&) = delete;
  SymbolList& operator=(const SymbolList&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::unique_ptr<ProgramSymbols> symbols_in(const std::filesystem::path& path) {
  Notes notes;
  return read_kernel_symbols(path, notes);
}

std::string function_at(std::string_view list, std::uint64_t address) {
  const SymbolList file(list);
  return symbols_in(file.path())->code_at(address).function;
}

constexpr std::string_view kSystemMap =
    "0000000000000000 D __per_cpu_start\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000040 t verify_cpu\n"
    "ffffffff82000000 D init_task\n"
    "ffffffff82000800 d hidden_list\n"
    "ffffffff82001000 B jiffies\n"
    "ffffffff82002000 A __end_of_kernel\n";

TEST(KernelSymbolsList, FindsTheFunctionThatBeginsBeforeAnAddress) {
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff81000040), "verify_cpu");
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff8100ffff), "verify_cpu");
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff80ffffff), "");
}

TEST(KernelSymbolsList, TheFirstOfSeveralNamesIsShown) {
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff81000000), "_text");
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff8100003f), "_text");
}

TEST(KernelSymbolsList, CodeFarAfterTheLastFunctionHasNoName) {
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff81000040 + 0xfffff), "verify_cpu");
  EXPECT_EQ(function_at(kSystemMap, 0xffffffff81000040 + 0x100000), "");
}

TEST(KernelSymbolsList, NamesOfModulesFollowTheFunction) {
  constexpr std::string_view kList =
      "ffffffffc0100000 t ext4_put_super\t[ext4]\n"
      "ffffffffc0100080 T ext4_sync_fs [ext4]\n";
  EXPECT_EQ(function_at(kList, 0xffffffffc0100010), "ext4_put_super");
  EXPECT_EQ(function_at(kList, 0xffffffffc0100090), "ext4_sync_fs");
}

TEST(KernelSymbolsList, LinesNeedNoOrder) {
  EXPECT_EQ(function_at("c0300000 T third\nc0100000 T first\nc0200000 W second\n", 0xc0200004), "second");
}

TEST(KernelSymbolsList, WindowsLineEndsAndOtherLinesAreIgnored) {
  constexpr std::string_view kList =
      "\r\n# saved by hand\r\nc0100000 T vfs_read\r\nno address here\r\nc0100100 TT two_types\r\nc0100200 "
      "T\r\n";
  EXPECT_EQ(function_at(kList, 0xc0100210), "vfs_read");
}

TEST(KernelSymbolsList, DataIsFoundByName) {
  const SymbolList file(kSystemMap);
  const auto symbols = symbols_in(file.path());
  EXPECT_EQ(symbols->object("init_task")->address, 0xffffffff82000000);
  EXPECT_EQ(symbols->object("hidden_list")->address, 0xffffffff82000800);
  EXPECT_EQ(symbols->object("jiffies")->address, 0xffffffff82001000);
  EXPECT_FALSE(symbols->object("_text"));
  EXPECT_FALSE(symbols->object("__end_of_kernel"));
}

TEST(KernelSymbolsList, OtherFilesAreAnError) {
  const SymbolList other("#!/bin/sh\necho hello\n"), empty("");
  EXPECT_THROW(symbols_in(other.path()), InputError);
  EXPECT_THROW(symbols_in(empty.path()), InputError);
  EXPECT_THROW(symbols_in("/does/not/exist"), InputError);
  const auto fifo = std::filesystem::temp_directory_path() / fmt::format("symbols-{}", ::getpid());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(symbols_in(fifo), InputError);
  std::filesystem::remove(fifo);
}

// With kptr_restrict, the kernel shows 0 for all addresses.
TEST(KernelSymbolsList, HiddenAddressesAreNoted) {
  const SymbolList hidden("0000000000000000 T _text\n0000000000000000 t vfs_read\n");
  EXPECT_EQ(symbols_in(hidden.path()), nullptr);

  TraceBuilder trace;
  trace.line("R 40").line("status 0;tstop:0;tframes:1").line("tp T1:c0100010:E:0:0");
  trace.frame(1).registers(i386_registers(0xc0100010, 0)).end();
  TraceFileOptions options;
  options.symbols = hidden.path();
  options.registers = RegisterChoice::None;
  EXPECT_THAT(trace.lines({}, options), ElementsAre(HasSubstr(" tracepoint:*0xc0100010 ")));
  EXPECT_THAT(
      trace.notes(),
      Contains(
          hidden.path().string() +
          ": all addresses are 0, because the kernel hides them (kptr_restrict); save the list as root"));

  const SymbolList shown("c0100000 t vfs_read\n");
  options.symbols = shown.path();
  EXPECT_THAT(trace.lines({}, options), ElementsAre(HasSubstr(" tracepoint:vfs_read ")));
}

}  // namespace
}  // namespace convert::tfile
