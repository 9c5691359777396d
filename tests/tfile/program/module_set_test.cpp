// Tests a set of modules: each address belongs to the module that was loaded there.
#include "converters/tfile/program/module_set.h"

#include <bit>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/value.h"
#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

using testing::EndsWith;
using testing::IsEmpty;

constexpr std::uint64_t kLibraryBias = 0x7fff'f7fb'c000;

class Modules : public testing::Test {
 public:
  Modules() {
    programs_.push_back(std::make_unique<Program>(TRACED_FIXED, Demangle::Simple));
    programs_.push_back(std::make_unique<Program>(TRACED_PIE, Demangle::Simple));
  }
  std::uint64_t address_of(std::size_t module, const std::string& function) const {
    return programs_[module]->functions(function).front().address;
  }
  Modules& tracepoint(const std::string& at, std::uint64_t address) {
    TracepointLocation location;
    location.at = at;
    location.address = address;
    trace_.description.locations.push_back(location);
    return *this;
  }
  ModuleSet place(const std::vector<GivenBias>& biases = {}) {
    Names names;
    fxt::Budget matches(kMatchedItems);
    const LocationTable locations =
        expect_all_frames(trace_.description, trace_.register_layout(), names, matches);
    return ModuleSet(std::move(programs_), trace_, locations, biases, notes_);
  }
  const std::string& first_note() const { return notes_.groups().front().first.front(); }

  std::vector<std::unique_ptr<Program>> programs_;
  TraceFile trace_;
  Notes notes_;
};

TEST_F(Modules, EachHasItsOwnAddresses) {
  const std::uint64_t own = address_of(0, "plant::pump"), other = kLibraryBias + address_of(1, "drain");
  const ModuleSet modules = tracepoint("plant::pump", own).tracepoint("drain", other).place();
  EXPECT_EQ(modules.code_at(own).function, "plant::pump");
  EXPECT_EQ(modules.code_at(other).function, "plant::drain<long>");
  EXPECT_EQ(modules.code_at(0x1234).function, "");
  EXPECT_THAT(notes_.groups(), IsEmpty());
}

// `pump` has a tracepoint in the program and one in the library. The tracepoint in the library shows where
// the library is.
TEST_F(Modules, DoNotOverlapInAnyOrder) {
  for (const bool is_reversed : {false, true}) {
    if (is_reversed) std::swap(programs_[0], programs_[1]);
    const std::size_t fixed = is_reversed ? 1 : 0, library = 1 - fixed;
    const std::uint64_t own = address_of(fixed, "plant::pump");
    const std::uint64_t other = kLibraryBias + address_of(library, "plant::pump");
    const ModuleSet modules = tracepoint("pump", own).tracepoint("pump", other).place();
    EXPECT_EQ(modules.code_at(own).function, "plant::pump") << is_reversed;
    EXPECT_EQ(modules.code_at(other).function, "plant::pump") << is_reversed;
    EXPECT_THAT(notes_.groups(), IsEmpty()) << is_reversed;
    programs_.clear();
    programs_.push_back(std::make_unique<Program>(TRACED_FIXED, Demangle::Simple));
    programs_.push_back(std::make_unique<Program>(TRACED_PIE, Demangle::Simple));
    trace_.description.locations.clear();
  }
}

TEST_F(Modules, AreNotPlacedIfSeveralFitAtOnePlace) {
  programs_[0] = std::make_unique<Program>(TRACED_PIE, Demangle::Simple);
  programs_.push_back(std::make_unique<Program>(TRACED_PIE, Demangle::Simple));
  const std::uint64_t address = kLibraryBias + address_of(0, "plant::pump");
  const ModuleSet modules = tracepoint("plant::pump", address).place();
  EXPECT_TRUE(modules.empty());
  EXPECT_EQ(notes_.count(kLoadBias), 3u);
  EXPECT_THAT(first_note(),
              testing::MatchesRegex(".*traced_pie: the tracepoints fit only at 0x7ffff7fbc000, but "
                                    ".*traced_pie also fits there; use --load-bias for both files"));
}

TEST_F(Modules, AGivenPlaceLeavesTheOtherPlaceToOtherModules) {
  programs_[0] = std::make_unique<Program>(TRACED_PIE, Demangle::Simple);
  const std::uint64_t pump = address_of(0, "plant::pump");
  const ModuleSet modules = tracepoint("plant::pump", kLibraryBias + pump)
                                .tracepoint("plant::pump", kLibraryBias + 0x100000 + pump)
                                .place({{.bias = kLibraryBias + 0x100000}});
  EXPECT_EQ(modules.code_at(kLibraryBias + pump).function, "plant::pump");
  EXPECT_EQ(modules.code_at(kLibraryBias + 0x100000 + pump).function, "plant::pump");
}

// At addresses of another module, such as libc, expressions can use the types of the program, but not the
// names of its variables.
TEST_F(Modules, CodeOfOtherModulesHasOnlyTypes) {
  const ModuleSet modules = tracepoint("plant::pump", address_of(0, "plant::pump")).place();
  const CodeScope* const scope = modules.scope_at(0x7f00'0000'1234);
  ASSERT_NE(scope, nullptr);
  FrameMemory frame(nullptr, std::endian::native);
  frame.start({}, false);
  EXPECT_EQ(evaluate("*(char(*)[8])4096", {.scope = *scope, .frame = frame}).type->count, 8u);
  EXPECT_EQ(evaluate("tally", {.scope = *scope, .frame = frame}).type, nullptr);
}

TEST_F(Modules, MayLackTheirSplitFiles) {
  programs_.clear();
  programs_.push_back(std::make_unique<Program>(TRACED_SPLIT, Demangle::Simple));
  const std::uint64_t start = address_of(0, "unit_start");
  const ModuleSet modules = tracepoint("unit_start", kLibraryBias + start).place();
  EXPECT_EQ(modules.code_at(kLibraryBias + start).function, "unit_start");
  EXPECT_EQ(notes_.count(kNoSymbols), 1u);
  EXPECT_THAT(first_note(),
              testing::MatchesRegex(
                  ".*traced_split.*: the types of 1 compilation unit are in "
                  "missing files, or in a package \\(.dwp\\) that libdw can\'t read: .*traced_unit.*dwo"));
}

TEST_F(Modules, TheUserGivesTheirPlaces) {
  const std::uint64_t own = address_of(1, "plant::pump");
  const ModuleSet modules = place({{.bias = 0x1000}, {.module = "traced_pie", .bias = kLibraryBias}});
  EXPECT_EQ(modules.code_at(kLibraryBias + own).function, "plant::pump");
  EXPECT_EQ(modules.code_at(own + 0x1000).function, "");
  EXPECT_EQ(notes_.count(kUnconfirmedProgram), 2u);
}

// The places of all modules are given, for example by the command `fxt` in GDB.
TEST_F(Modules, AModuleWithoutTracepointsIsNotNotedIfAllPlacesAreGiven) {
  programs_.push_back(std::make_unique<Program>(TRACED_SPLIT, Demangle::Simple));
  const std::uint64_t own = address_of(0, "plant::pump");
  const std::uint64_t other = address_of(1, "plant::pump");
  const ModuleSet modules = tracepoint("plant::pump", own)
                                .place({{.bias = 0},
                                        {.module = "traced_pie", .bias = kLibraryBias},
                                        {.module = TRACED_SPLIT, .bias = 0x1000'0000}});
  EXPECT_EQ(modules.code_at(kLibraryBias + other).function, "plant::pump");
  EXPECT_THAT(notes_.groups(), IsEmpty());
}

TEST_F(Modules, AGivenAddressThatFitsNoTracepointIsNoted) {
  tracepoint("plant::pump", address_of(0, "plant::pump")).place({{.bias = 0x1'0000'0000}});
  EXPECT_EQ(notes_.count(kUnconfirmedProgram), 0u);
  EXPECT_THAT(first_note(),
              EndsWith("traced_fixed: no tracepoint is in this program with --load-bias 0x100000000; use "
                       "--load-bias 0x0, which fits some tracepoints"));
}

TEST_F(Modules, AContradictedModuleIsLeftOut) {
  const std::uint64_t address = address_of(0, "plain_start");
  const ModuleSet modules = tracepoint("plant::pump", address).place();
  EXPECT_TRUE(modules.empty());
  EXPECT_EQ(notes_.count(kWrongProgram), 1u);
  EXPECT_THAT(first_note(),
              testing::HasSubstr("traced_fixed: plant::pump is at another address (tracepoint 0 at 0x"));
  EXPECT_EQ(notes_.count(kLoadBias), 1u) << "no tracepoint lies in the other one";
}

TEST_F(Modules, AContradictedModuleStillNamesCodeAtAGivenPlace) {
  const std::uint64_t address = address_of(0, "plain_start");
  const ModuleSet modules = tracepoint("plant::pump", address).place({{.bias = 0}});
  EXPECT_EQ(modules.code_at(address).function, "plain_start");
  EXPECT_EQ(modules.scope_at(address), nullptr) << "its variables may be others";
  EXPECT_EQ(modules.object("tally"), std::nullopt);
  EXPECT_THAT(first_note(),
              EndsWith("; only the functions and lines of this file are used, because of --load-bias"));
}

TEST_F(Modules, LibrariesFindObjectsOfTheProgram) {
  const std::uint64_t in_library = kLibraryBias + address_of(1, "drain");
  const std::uint64_t tally = programs_[0]->object("tally").value().address;
  const ModuleSet modules = tracepoint("traced_program.cpp:drain", in_library).place();
  EXPECT_EQ(modules.object("tally").value().address, tally);
  const CodeScope* const scope = modules.scope_at(in_library);
  ASSERT_NE(scope, nullptr);
  FrameMemory frame(nullptr, std::endian::native);
  frame.start({}, false);
  const Value own = evaluate("tally", {.scope = *scope, .frame = frame});
  EXPECT_EQ(own.storage.kind, Storage::Kind::Memory);
  EXPECT_NE(own.storage.address, tally) << "its own comes first";
}

TEST(DebugInformation, IsFoundInASeparateFileAndCompressed) {
  const std::string file = "traced_program.cpp";
  const auto addresses = Program(TRACED_FIXED, Demangle::Simple).line_addresses(file, line_of("pump"));
  ASSERT_FALSE(addresses.empty());
  for (const char* const copy : {TRACED_LINKED, TRACED_NAMED, TRACED_COMPRESSED}) {
    const Program program(copy, Demangle::Simple);
    EXPECT_EQ(program.line_addresses(file, line_of("pump")), addresses) << copy;
    EXPECT_THAT(program.code_at(addresses.front()).source,
                EndsWith(fmt::format("{}:{}", file, line_of("pump"))));
  }
}

}  // namespace
}  // namespace convert::tfile
