#include "converters/uftrace/arguments/payload_decoder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "converters/symbols/elf_symbols.h"
#include "tests/uftrace/text_recording.h"

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The program is at 0x10000, a library is at 0x50000, and another library is loaded at time 100.
class PayloadDecoderTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kF = 0x10100, kPlt = 0x10200, kOther = 0x10300, kLibF = 0x50100,
                                 kLoaded = 0x90100;

  PayloadDecoderTest() {
    recording_.file("sid-aa.map",
                    "10000-20000 r-xp 00000000 00:00 0    /bin/a\n"
                    "50000-60000 r-xp 00000000 00:00 0    /lib/libb.so\n");
    recording_.file("a.sym",
                    "# path name: /bin/a\n0000000000000100 00000010 T f\n0000000000000200 00000010 P f\n"
                    "0000000000000300 00000010 T _ZN2ns1gEv\n0000000000004000 00000004 D counter\n");
    recording_.file("libb.so.sym", "0000000000000100 00000010 T f\n");
    recording_.file("plug.so.sym", "# path name: /x/plug.so\n0000000000000100 00000010 T f\n");
    recording_.file("task.txt",
                    "SESS timestamp=0.000000010 pid=100 sid=aa exename=\"/bin/a\"\n"
                    "TASK timestamp=0.000000010 tid=100 pid=100\n"
                    "DLOP timestamp=0.000000100 tid=100 sid=aa base=90000 libname=\"plug.so\"\n");
  }

  void open() {
    decoder_.reset();  // the decoder refers to objects that are replaced below
    directory_ = list_directory(recording_.path());
    sessions_ = std::make_unique<Sessions>(directory_, info_,
                                           read_task_file(directory_, std::endian::little, notes_), notes_);
    symbolizer_ = std::make_unique<Symbolizer>(directory_, *sessions_, Demangle::Simple, names_, notes_);
    specs_ = std::make_unique<SpecTable>(info_, "info", names_, notes_, notes_);
    debug_ = std::make_unique<DebugFiles>(directory_, names_, notes_);
    layouts_ = std::make_unique<PayloadLayouts>(PayloadLayouts::Context{.symbolizer = *symbolizer_,
                                                                        .specs = *specs_,
                                                                        .debug = *debug_,
                                                                        .names = names_,
                                                                        .demangle = Demangle::Simple,
                                                                        .order = std::endian::little});
    decoder_ = make_decoder();
  }
  std::unique_ptr<PayloadDecoder> make_decoder() {
    return std::make_unique<PayloadDecoder>(*layouts_, *sessions_->find_task(ThreadId{100}));
  }
  struct Call {
    std::uint64_t address;
    std::uint64_t time_ns = 20;
    bool is_entry = true;
  };
  static std::vector<std::size_t> sizes(PayloadDecoder& decoder, const Call& call, std::string_view payload) {
    std::vector<std::size_t> sizes;
    for (const PayloadLayout& layout : decoder.candidates(call.time_ns, call.address, call.is_entry))
      if (const auto size = layout.size_of(std::as_bytes(std::span(payload)))) sizes.push_back(*size);
    return sizes;
  }
  // Returns the size of the payload according to each candidate layout that fits.
  std::vector<std::size_t> sizes(const Call& call, std::string_view payload) {
    return sizes(*decoder_, call, payload);
  }
  std::vector<std::string> values(const Call& call, std::string_view payload) {
    Arguments arguments;
    const PayloadLayout& layout = decoder_->candidates(call.time_ns, call.address, call.is_entry).front();
    decoder_->add_values(layout, std::as_bytes(std::span(payload)), arguments);
    std::vector<std::string> lines;
    for (const Argument& a : arguments)
      lines.push_back(fmt::format("{}={}", names_.text(a.name),
                                  a.kind == ArgumentKind::Text ? std::string(a.text)
                                  : a.kind == ArgumentKind::Name
                                      ? std::string(names_.text(static_cast<NameId>(a.bits)))
                                      : fmt::format("{:#x}", a.bits)));
    return lines;
  }

  TextRecording recording_;
  Info info_;
  Directory directory_;
  Names names_;
  Notes notes_;
  std::unique_ptr<Sessions> sessions_;
  std::unique_ptr<Symbolizer> symbolizer_;
  std::unique_ptr<SpecTable> specs_;
  std::unique_ptr<DebugFiles> debug_;
  std::unique_ptr<PayloadLayouts> layouts_;
  std::unique_ptr<PayloadDecoder> decoder_;
};

using namespace std::string_view_literals;
constexpr std::string_view kSeven = "\x07\0\0\0\0\0\0\0"sv;

TEST_F(PayloadDecoderTest, EntriesHaveArgumentsAndExitsHaveReturnValues) {
  info_.argument_lines = {"argspec:f@arg1", "retspec:f@retval/i32"};
  open();
  EXPECT_THAT(values({kF}, kSeven), ElementsAre("arg1=0x7"));
  const Call exit{.address = kF, .is_entry = false};
  EXPECT_THAT(values(exit, kSeven.substr(0, 4)), ElementsAre("retval=0x7"));
  EXPECT_THAT(sizes(exit, kSeven),
              ElementsAre(4, 0));  // the third layout is a string, and needs more bytes than the payload has
}

// For some calls, uftrace 0.13 sets the bit for a payload, but stores no values.
TEST_F(PayloadDecoderTest, TheLastLayoutIsEmpty) {
  info_.argument_lines = {"argspec:f@arg1"};
  open();
  EXPECT_THAT(sizes({kF}, kSeven), ElementsAre(8, 0));
  EXPECT_THAT(sizes({kOther}, kSeven), ElementsAre(0));
  EXPECT_THAT(sizes({0x70000}, kSeven), IsEmpty());  // no symbol is known
}

TEST_F(PayloadDecoderTest, FunctionsWithEqualValuesShareTheirLayouts) {
  info_.argument_lines = {"argspec:f@arg1/i32", "argspec:ns::g@arg1/i32"};
  open();
  const auto layouts_of = [&](std::uint64_t address) {
    return decoder_->candidates(20, address, true).data();
  };
  EXPECT_EQ(layouts_of(kF), layouts_of(kOther));
  EXPECT_EQ(layouts_of(kF), layouts_of(kLibF));
  EXPECT_EQ(decoder_->candidates(20, kF, false).data(), decoder_->candidates(20, kOther, false).data());
  EXPECT_NE(layouts_of(kF), decoder_->candidates(20, kF, false).data());
}

TEST_F(PayloadDecoderTest, ModulesAreFoundByTheStartOfTheirNames) {
  info_.argument_lines = {"argspec:f@arg1/i32,libb"};
  open();
  EXPECT_THAT(sizes({kLibF}, kSeven), ElementsAre(4, 0));
  EXPECT_THAT(sizes({kF}, kSeven), ElementsAre(0));
  info_.argument_lines = {"argspec:f@arg1/i32,PLT"};
  open();
  EXPECT_THAT(sizes({kPlt}, kSeven), ElementsAre(4, 0));
  EXPECT_THAT(sizes({kF}, kSeven), ElementsAre(0));
  EXPECT_THAT(sizes({kLibF}, kSeven), ElementsAre(0));
  info_.argument_lines = {"argspec:f@arg1/i32,plug"};
  open();
  EXPECT_THAT(sizes({kLoaded, 200}, kSeven), ElementsAre(4, 0));
  EXPECT_THAT(sizes({kLibF}, kSeven), ElementsAre(0));
}

TEST_F(PayloadDecoderTest, LibrariesAreKnownFromTheirLoadOn) {
  info_.argument_lines = {"argspec:f@arg1"};
  open();
  EXPECT_THAT(sizes({kLoaded, 99}, kSeven), IsEmpty());
  EXPECT_THAT(sizes({kLoaded, 100}, kSeven), ElementsAre(8, 0));
  EXPECT_THAT(sizes({kLoaded, 99}, kSeven), IsEmpty());
}

TEST_F(PayloadDecoderTest, DebugFilesHaveSpecsOfTheirFunctions) {
  recording_.file("a.dbg",
                  "# path name: /bin/a\nE: enum color {RED,GREEN}\nF: 100 f\nL: 3 a.c\nA: @arg1/e:color\n"
                  "F: 300 _ZN2ns1gEv\nA: @arg1/s\n");
  info_.argument_lines = {"auto-args:1", "argauto:f@arg1/i32"};
  open();
  EXPECT_THAT(values({kF}, "\1\0\0\0\0\0\0\0"sv), ElementsAre("arg1=GREEN"));
  EXPECT_THAT(values({kOther}, "\2\0ab"sv), ElementsAre("arg1=ab"));
  EXPECT_THAT(sizes({kPlt}, kSeven), ElementsAre(4, 0));  // from `argauto`
}

TEST_F(PayloadDecoderTest, PointersHaveTheNamesOfTheirTargets) {
  info_.argument_lines = {"argspec:f@arg1/p"};
  open();
  const auto pointer = [&](std::uint64_t address, std::uint64_t time_ns = 20) {
    return values({kF, time_ns}, std::string_view(reinterpret_cast<const char*>(&address), 8));
  };
  EXPECT_THAT(pointer(0x14002), ElementsAre("arg1=0x14002", "arg1 symbol=counter"));
  EXPECT_THAT(pointer(0x1030f), ElementsAre("arg1=0x1030f", "arg1 symbol=ns::g"));
  EXPECT_THAT(pointer(0x10310), ElementsAre("arg1=0x10310"));
  EXPECT_THAT(pointer(0), ElementsAre("arg1=0x0"));
  EXPECT_THAT(pointer(0x90101, 99), ElementsAre("arg1=0x90101"));
  EXPECT_THAT(pointer(0x90101, 100), ElementsAre("arg1=0x90101", "arg1 symbol=f"));
}

TEST_F(PayloadDecoderTest, ResultsDoNotDependOnEarlierCalls) {
  info_.argument_lines = {"argspec:f@arg1/i32,libb;f@arg1,plug"};
  open();
  const auto all = [&] {
    std::vector<std::vector<std::size_t>> lists;
    for (const std::uint64_t address : {kF, kPlt, kLibF, kLoaded})
      lists.push_back(sizes({address, 200}, kSeven));
    return lists;
  };
  const auto in_order = all();
  EXPECT_THAT(in_order, ElementsAre(ElementsAre(0), ElementsAre(0), ElementsAre(4, 0), ElementsAre(8, 0)));
  open();
  sizes({kLoaded, 200}, kSeven);
  EXPECT_EQ(all(), in_order);
}

TEST_F(PayloadDecoderTest, DecodersOfSeveralThreadsShareTheLayouts) {
  recording_.file("a.dbg", "# path name: /bin/a\nF: 100 f\nA: @arg1/i32\nF: 300 g\nA: @arg1/s\n");
  info_.argument_lines = {"auto-args:1"};
  open();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto decoder = make_decoder();
      for (int round = 0; round < 100; ++round)
        right +=
            sizes(*decoder, {kF}, kSeven).front() == 4u && sizes(*decoder, {kLibF}, kSeven).front() == 0u;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 400);
}

// With the option -a, uftrace does not record the types of numbers.
TEST_F(PayloadDecoderTest, TypesThatTheRecordingLacksComeFromTheRecordedProgram) {
  const InputFile file{fxt::FilePlace(PARAMETERS)};
  const ElfImage elf(file);
  const auto symbols = read_elf_symbols(elf, nullptr);
  const auto kinds = std::ranges::find(symbols->symbols(), "kinds", &Symbol::name);
  const auto exit_at = [&](std::uint64_t address, std::string_view build_id, std::string_view result) {
    recording_.file("sid-aa.map", fmt::format("10000000-20000000 r-xp 00000000 00:00 0    {} build-id:{}\n"
                                              "50000000-60000000 r-xp 00000000 00:00 0    /bin/a\n",
                                              PARAMETERS, build_id));
    recording_.file("parameters.sym", fmt::format("{:016x} 00000010 T kinds\n", kinds->start));
    recording_.file("a.sym", "0000000000000200 00000010 P kinds\n");
    info_.argument_lines = {fmt::format("retspec:kinds@{}", result)};
    open();
    return values({.address = address, .is_entry = false}, "\x08\x04\xfb\x02\x11\0\0\0"sv);
  };
  const auto exit_of = [&](std::string_view build_id, std::string_view result) {
    return exit_at(0x10000000 + kinds->start, build_id, result);
  };
  EXPECT_THAT(exit_of(elf.build_id(), "retval"), ElementsAre("retval=0x2fb0408"));
  EXPECT_THAT(exit_of(elf.build_id(), "retval/x"), ElementsAre("retval=0x1102fb0408"));
  EXPECT_THAT(exit_of(std::string(40, 'a'), "retval"), ElementsAre("retval=0x1102fb0408")) << "another build";
  EXPECT_THAT(exit_at(0x50000200, elf.build_id(), "retval"), ElementsAre("retval=0x1102fb0408"))
      << "a call by name may be of another library";
}

TEST_F(PayloadDecoderTest, FunctionsHaveSourceLines) {
  recording_.file("a.dbg", "# path name: /bin/a\nF: 100 f\nL: 3 a.c\nF: 300 _ZN2ns1gEv\n");
  open();
  TaskSymbols symbols(*symbolizer_, *sessions_->find_task(ThreadId{100}));
  symbols.move_to(20);
  const NameId loc = debug_->line_of(symbols.at(kF + 4));
  ASSERT_NE(loc, CallLabel::kNoLine);
  EXPECT_EQ(names_.text(debug_->loc()), "loc");
  EXPECT_EQ(names_.text(loc), "a.c:3");
  EXPECT_EQ(debug_->line_of(symbols.at(kOther)), CallLabel::kNoLine);
  EXPECT_EQ(debug_->line_of(symbols.at(kLibF)), CallLabel::kNoLine);
}

}  // namespace
}  // namespace convert::uftrace
