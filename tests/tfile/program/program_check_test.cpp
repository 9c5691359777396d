// Tests how the load bias of a program is found, and how a program that was not traced is recognized.
#include "converters/tfile/program/program_check.h"

#include <array>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "converters/tfile/program/item_proof.h"
#include "tests/number_bytes.h"
#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

using testing::Optional;

constexpr std::uint64_t kBias = 0x7f12'3456'7000;

ProgramCheck check(const Description& description, Program& program,
                   std::optional<std::uint64_t> given = std::nullopt,
                   const RegisterLayout* layout = nullptr) {
  Names names;
  fxt::Budget matches(kMatchedItems);
  const LocationTable locations = expect_all_frames(description, layout, names, matches);
  return best_of(check_places(description, locations, program, given, layout));
}

class LoadBias : public testing::Test {
 public:
  // Adds a tracepoint in a program that was loaded at `bias`. The tracepoint is `into` bytes after the start
  // of the function.
  LoadBias& tracepoint(const std::string& at, const std::string& function, std::uint64_t bias,
                       std::uint64_t into = 4) {
    TracepointLocation location;
    location.at = at;
    location.address = bias + address_of(function) + into;
    description_.locations.push_back(location);
    return *this;
  }
  std::uint64_t address_of(const std::string& function) const {
    return program_.functions(function).front().address;
  }
  LoadBias& at_address(const std::string& at, std::uint64_t address) {
    TracepointLocation location;
    location.at = at;
    location.address = address;
    description_.locations.push_back(location);
    return *this;
  }
  std::uint64_t line_address(const std::string& mark) const {
    return program_.line_addresses("traced_program.cpp", line_of(mark)).front();
  }
  std::optional<std::uint64_t> bias() { return check(description_, program_).bias; }
  std::size_t contradictions(std::optional<std::uint64_t> given = std::nullopt) {
    return check(description_, program_, given).contradictions;
  }
  std::size_t agreements() { return check(description_, program_).agreements; }

  Program program_{TRACED_PIE, Demangle::Simple};
  Description description_;
};

TEST_F(LoadBias, FollowsFromAFunctionByItsName) {
  for (const std::string at : {"plain_start", "*plain_start+4", "*&plain_start", "-function plain_start",
                               "traced_program.cpp:plain_start"}) {
    description_.locations.clear();
    const std::uint64_t into = at == "*&plain_start" ? 0 : 4;
    EXPECT_THAT(tracepoint(at, "plain_start", kBias, into).bias(), Optional(kBias)) << at;
  }
}

TEST_F(LoadBias, FollowsFromAFunctionInANamespace) {
  for (const char* const at :
       {"plant::pump", "pump", "-qualified plant::pump", "traced_program.cpp:plant::pump"}) {
    description_.locations.clear();
    EXPECT_THAT(tracepoint(at, "plant::pump", kBias).bias(), Optional(kBias)) << at;
  }
}

// The symbol of the function is plant::vent[abi:v2].
TEST_F(LoadBias, FollowsFromAFunctionWithAnAbiTag) {
  for (const char* const at : {"plant::vent", "vent", "plant::vent[abi:v2](int)"}) {
    description_.locations.clear();
    EXPECT_THAT(tracepoint(at, "plant::vent", kBias).bias(), Optional(kBias)) << at;
    EXPECT_EQ(contradictions(kBias), 0u) << at;
  }
}

TEST_F(LoadBias, DoesNotFollowFromATagThatIsNotClosed) {
  EXPECT_EQ(tracepoint("[abi:x", "plant::vent", kBias).bias(), std::nullopt);
}

TEST_F(LoadBias, FollowsFromASourceLine) {
  const std::string line = std::to_string(line_of("plain_start"));
  const auto addresses = program_.line_addresses("traced_program.cpp", line_of("plain_start"));
  ASSERT_FALSE(addresses.empty());
  for (const std::string& at : {"traced_program.cpp:" + line, "/src/traced_program.cpp:" + line,
                                "-source traced_program.cpp -line " + line}) {
    description_.locations.clear();
    TracepointLocation location;
    location.at = at;
    location.address = addresses.front() + kBias;
    description_.locations.push_back(location);
    EXPECT_THAT(bias(), Optional(kBias)) << at;
  }
}

// A library may have no function with a tracepoint. If GDB records an object of this library at a fixed
// address ("const64 ADDRESS; const8 SIZE; trace"), the object shows the place of the library.
TEST_F(LoadBias, FollowsFromACollectedObjectIfNoFunctionIsHit) {
  const DataObject readings = program_.object("plant::readings").value();
  TracepointLocation location;
  location.at = "main.c:7";
  location.address = 0x1000;
  location.commands = {"collect plant::readings"};
  TracepointAction action{.kind = TracepointAction::Kind::Expression};
  action.code.push_back(std::byte{0x25});
  for (int i = 56; i >= 0; i -= 8)
    action.code.push_back(static_cast<std::byte>((readings.address + kBias) >> i & 0xff));
  for (const int byte : {0x22, static_cast<int>(readings.size), 0x0c, 0x27})
    action.code.push_back(static_cast<std::byte>(byte));
  location.hit_actions.push_back(action);
  description_.locations.push_back(location);
  EXPECT_THAT(bias(), Optional(kBias));
  description_.locations.front().hit_actions.front().code[10] = std::byte{1};  // another size
  EXPECT_NE(bias(), kBias);
}

TEST_F(LoadBias, FollowsFromACollectedObject) {
  const DataObject readings = program_.object("plant::readings").value();
  TracepointLocation location;
  location.at = "*0x1234";
  location.address = kBias + address_of("plain_start");
  location.commands = {"collect plant::readings"};
  location.hit_actions.push_back({.kind = TracepointAction::Kind::Memory,
                                  .mask = {},
                                  .base = -1,
                                  .offset = static_cast<std::int64_t>(readings.address + kBias),
                                  .length = readings.size,
                                  .code = {}});
  description_.locations.push_back(location);
  EXPECT_THAT(bias(), Optional(kBias));
  description_.locations.front().hit_actions.front().length = readings.size - 1;  // the size differs
  EXPECT_NE(bias(), kBias);
}

TEST(BiasesAtRanges, AreThoseAtWhichARangeIsJustTheObject) {
  const auto range = [](std::int64_t address, std::uint64_t size, std::int64_t base = -1) {
    TracepointAction action{.kind = TracepointAction::Kind::Memory};
    action.base = base;
    action.offset = address;
    action.length = size;
    return action;
  };
  EXPECT_THAT(
      biases_at_ranges({.address = 0x3010, .size = 4},
                       std::array{range(0x3010, 4), range(0x8010, 4), range(0x9010, 5), range(0x9010, 3),
                                  range(0x9014, 4), range(0x2010, 4), range(0x9010, 4, 6)}),
      testing::ElementsAre(0, 0x5000));
}

TEST_F(LoadBias, IsTheBiasOfMostLocations) {
  tracepoint("pump", "drain", kBias + 0x3000);  // suggests another bias
  tracepoint("plain_start", "plain_start", kBias).tracepoint("drain", "drain", kBias);
  EXPECT_THAT(bias(), Optional(kBias));
}

TEST_F(LoadBias, WithoutEvidenceIsThatOfLinuxUnderADebugger) {
  tracepoint("*0x555555555150", "plain_start", kUsualBias);
  EXPECT_THAT(bias(), Optional(kUsualBias));
  EXPECT_EQ(agreements(), 0u);
}

TEST_F(LoadBias, LocationsInLibrariesDoNotMatter) {
  tracepoint("*0x555555555150", "plain_start", kUsualBias).at_address("*0x7f1234568000", 0x7f12'3456'8000);
  EXPECT_THAT(bias(), Optional(kUsualBias));
  description_.locations.erase(description_.locations.begin());
  EXPECT_EQ(bias(), std::nullopt);
}

TEST_F(LoadBias, IsUnknownWithoutTracepoints) { EXPECT_EQ(bias(), std::nullopt); }

TEST_F(LoadBias, AProgramAtAFixedAddressHasNone) {
  Program fixed(TRACED_FIXED, Demangle::Simple);
  EXPECT_THAT(check(description_, fixed).bias, Optional(0u));
}

TEST_F(LoadBias, IsAskedForIfTwoFitEqually) {
  tracepoint("plain_start", "plain_start", kBias).tracepoint("plain_start", "plain_start", kBias + 0x10000);
  const ProgramCheck check = tfile::check(description_, program_);
  EXPECT_EQ(check.bias, std::nullopt);
  EXPECT_THAT(check.equal_biases, testing::ElementsAre(kBias, kBias + 0x10000));
  EXPECT_THAT(tfile::check(description_, program_, kBias).bias, Optional(kBias));
}

TEST_F(LoadBias, FromALineWithoutCodeIsThatOfTheNextLine) {
  const auto first = program_.line_addresses("traced_program.cpp", 1);
  ASSERT_FALSE(first.empty()) << "a comment";
  at_address("traced_program.cpp:1", kBias + first.front());
  EXPECT_THAT(bias(), Optional(kBias));
  EXPECT_EQ(agreements(), 1u);
  EXPECT_EQ(contradictions(), 0u);
}

// If a tracepoint is set at a function's name or at its first line, GDB moves it to the end of the prologue,
// but not to a later line.
TEST_F(LoadBias, AfterThePrologueIsTheFunctionAndItsOpeningLine) {
  const int opening = line_of("pump") - 2;
  const auto first = program_.line_addresses("traced_program.cpp", opening + 1);
  ASSERT_FALSE(first.empty());
  for (const std::string& at : {std::string("pump"), fmt::format("traced_program.cpp:{}", opening)}) {
    description_.locations.clear();
    EXPECT_EQ(at_address(at, kBias + first.front()).agreements(), 1u) << at;
    description_.locations.clear();
    EXPECT_EQ(at_address(at, kBias + line_address("pump body")).contradictions(kBias), 1u) << at;
  }
}

TEST_F(LoadBias, ALabelInAFunctionMayBeAnywhereInIt) {
  at_address("pump:again", kBias + line_address("pump body"));
  EXPECT_EQ(agreements(), 1u);
}

TEST_F(LoadBias, ALineMayBeInAnyFileOfThatName) {
  const auto addresses = program_.line_addresses("traced_unit.c", 1);
  EXPECT_THAT(addresses, testing::IsSupersetOf({address_of("of_same_name"), address_of("unit_sum")}));
}

TEST_F(LoadBias, ALabelIsExact) {
  at_address("*&traced_label", kBias + program_.functions("traced_label").front().address);
  EXPECT_THAT(bias(), Optional(kBias));
  EXPECT_EQ(agreements(), 1u);
}

// ---- Is it the traced program? ----

TEST_F(LoadBias, AFunctionElsewhereContradicts) {
  for (const char* const at : {"plain_start", "*plain_start", "traced_program.cpp:plain_start"}) {
    description_.locations.clear();
    tracepoint(at, "drain", kBias);
    EXPECT_EQ(contradictions(kBias), 1u) << at;
    EXPECT_THAT(check(description_, program_, kBias).first_contradiction,
                testing::StartsWith(std::string(at) + " is at another address (tracepoint 0 at 0x7f12"));
  }
}

// The name of the tracepoint means a function in elsewhere.c, which is in another module.
TEST_F(LoadBias, AFunctionOfAnotherFileContradicts) {
  tracepoint("elsewhere.c:plain_start", "plain_start", kBias);
  EXPECT_EQ(contradictions(kBias), 1u);
  EXPECT_EQ(bias(), std::nullopt);
  description_.locations.clear();
  EXPECT_EQ(tracepoint("plain_start:label", "plain_start", kBias).contradictions(kBias), 0u)
      << "no file's name";
}

TEST_F(LoadBias, AnotherFunctionAtTheAddressContradicts) {
  tracepoint("somebody_elses", "drain", kBias);
  EXPECT_EQ(contradictions(kBias), 1u);
}

TEST_F(LoadBias, AnAddressWithoutCodeContradicts) {
  at_address("*0x1234", kBias + program_.object("plant::readings").value().address);
  EXPECT_EQ(contradictions(kBias), 1u);
  EXPECT_THAT(check(description_, program_, kBias).first_contradiction,
              testing::StartsWith("there is no code at this address (tracepoint 0"));
}

TEST_F(LoadBias, ALineElsewhereContradicts) {
  const std::string line = std::to_string(line_of("plain_start"));
  for (const std::string& at : {"traced_program.cpp:" + line, std::string("another.cpp:1")}) {
    description_.locations.clear();
    tracepoint(at, "drain", kBias);
    EXPECT_EQ(contradictions(kBias), 1u) << at;
  }
}

// In another build, lines of a function have moved.
TEST_F(LoadBias, ALineElsewhereInItsFunctionContradicts) {
  const int line = line_of("refill");
  for (const int moved : {line - 2, line + 1}) {
    description_.locations.clear();
    at_address(fmt::format("traced_program.cpp:{}", moved), kBias + line_address("refill"));
    EXPECT_EQ(contradictions(kBias), 1u) << moved;
  }
}

TEST_F(LoadBias, AnAddressThatIsNotItsSymbolsContradicts) {
  EXPECT_EQ(tracepoint("*plain_start+8", "plain_start", kBias).contradictions(kBias), 1u);
  description_.locations.clear();
  EXPECT_EQ(tracepoint("*(long)&nothing_of_it+8", "plain_start", kBias).contradictions(kBias), 0u);
}

TEST_F(LoadBias, AMissingFunctionOfAFixedProgramContradicts) {
  Program fixed(TRACED_FIXED, Demangle::Simple);
  at_address("plain_start", 0x7f12'3456'8000);
  EXPECT_EQ(check(description_, fixed).contradictions, 1u);
  description_.locations.front().at = "somebody_elses";  // a function of a library
  EXPECT_EQ(check(description_, fixed).contradictions, 0u);
}

TEST_F(LoadBias, AnAddressAloneNeitherAgreesNorContradicts) {
  tracepoint("*0x401000", "plain_start", kBias);
  EXPECT_EQ(contradictions(kBias), 0u);
  EXPECT_EQ(check(description_, program_, kBias).agreements, 0u);
}

TEST_F(LoadBias, AnInlinedFunctionAgrees) {
  at_address("plant::valve", kBias + line_address("valve"));
  EXPECT_EQ(check(description_, program_, kBias).agreements, 1u);
}

// ---- The places of items in the actions ----

class CollectedPlaces : public LoadBias {
 public:
  // Adds a tracepoint that collects `items`, with these actions.
  CollectedPlaces& collect(const std::string& items, std::vector<TracepointAction> actions) {
    at_address(fmt::format("traced_program.cpp:{}", line_of("plain_start")),
               kBias + line_address("plain_start"));
    description_.locations.back().commands = {"collect " + items};
    description_.locations.back().hit_actions = std::move(actions);
    return *this;
  }
  CollectedPlaces& collect(const std::string& item, const TracepointAction& action) {
    return collect(item, std::vector{action});
  }
  static TracepointAction range(std::uint64_t address, std::uint64_t size) {
    TracepointAction action{.kind = TracepointAction::Kind::Memory};
    action.offset = static_cast<std::int64_t>(address);
    action.length = size;
    return action;
  }
  // Returns bytecode for an address relative to rbp: "reg 6; const16 OFFSET; ext 16; add", followed by
  // `rest`.
  static TracepointAction at_frame(int offset, std::initializer_list<int> rest) {
    TracepointAction action{.kind = TracepointAction::Kind::Expression};
    for (const int byte : {0x26, 0, 6, 0x23, offset >> 8 & 0xff, offset & 0xff, 0x16, 16, 2})
      action.code.push_back(static_cast<std::byte>(byte));
    for (const int byte : rest) action.code.push_back(static_cast<std::byte>(byte));
    return action;
  }
  ProgramCheck checked() {
    return tfile::check(description_, program_, kBias, default_layout("i386:x86-64"));
  }
  std::string contradiction() {
    const std::string first = checked().first_contradiction;
    return first.substr(0, first.find(" ("));
  }

  static inline const TracepointAction kNothing = at_frame(0, {0x27});  // an action that records nothing
  const std::uint64_t level_ = kBias + program_.object("plant::level").value().address;
  static constexpr int kCount = -4;  // offset of `count` from rbp
};

TEST_F(CollectedPlaces, AnObjectIsInTheRangeOfAnAction) {
  EXPECT_EQ(collect("plant::level", range(level_, 4)).contradiction(), "");
  description_.locations.clear();
  EXPECT_EQ(collect("plant::level", range(level_ - 8, 16)).contradiction(), "");
}

TEST_F(CollectedPlaces, AnObjectOutsideOfTheRangesContradicts) {
  for (const std::uint64_t other : {level_ - 4, level_ + 4}) {
    description_.locations.clear();
    EXPECT_EQ(collect("plant::level", range(other, 4)).contradiction(), "`plant::level` is at another place");
  }
}

TEST_F(CollectedPlaces, AnObjectThatIsLargerThanTheRangeContradicts) {
  EXPECT_EQ(collect("plant::level", range(level_, 2)).contradiction(), "`plant::level` is at another place");
}

TEST_F(CollectedPlaces, AnObjectOfOneTracepointContradictsTheProgram) {
  collect("plant::level", range(level_, 4)).collect("plant::level", range(level_ + 4, 4));
  EXPECT_EQ(contradictions(kBias), 1u);
}

TEST_F(CollectedPlaces, AVariableIsInTheMemoryOfAnExpression) {
  EXPECT_EQ(collect("count", at_frame(kCount, {0x22, 4, 0x0c, 0x27})).contradiction(), "");
  description_.locations.clear();
  EXPECT_EQ(collect("count", at_frame(kCount - 4, {0x22, 4, 0x0c, 0x27})).contradiction(),
            "`count` is at another place");
}

TEST_F(CollectedPlaces, ATruncatedAddressProvesNothing) {
  EXPECT_EQ(collect("count", at_frame(kCount - 4, {0x2a, 32, 0x22, 4, 0x0c, 0x27})).contradiction(), "");
}

TEST_F(CollectedPlaces, AnExpressionWithoutMemoryFitsAnyItem) {
  EXPECT_EQ(collect("count", kNothing).contradiction(), "");
}

TEST_F(CollectedPlaces, AnExpressionWithoutMemoryBelongsToOneItem) {
  const std::string two = "plant::level, plant::pressure";
  EXPECT_EQ(collect(two, {range(level_, 4), kNothing}).contradiction(), "");
  description_.locations.clear();
  EXPECT_EQ(collect(two, {range(level_ + 4, 4), kNothing}).checked().contradictions, 2u);
  description_.locations.clear();
  EXPECT_EQ(collect(two, {range(level_ + 4, 4), kNothing, kNothing}).contradiction(), "");
}

// GDB may record more bytes than the variable has, for example a whole array. GDB may also record fewer
// bytes, if the traced program is another build.
TEST_F(CollectedPlaces, TheSizeOfAnExpressionDoesNotMatter) {
  for (const int size : {1, 4, 8}) {
    description_.locations.clear();
    EXPECT_EQ(collect("count", at_frame(kCount, {0x22, size, 0x0c, 0x27})).contradiction(), "") << size;
  }
}

TEST_F(CollectedPlaces, ItemsAndActionsAreInAnyOrder) {
  const TracepointAction count = at_frame(kCount, {0x22, 4, 0x0c, 0x27});
  EXPECT_EQ(collect("plant::level, count", {count, range(level_, 4)}).contradiction(), "");
  description_.locations.clear();
  EXPECT_EQ(collect("count, plant::level", {count, range(level_, 4)}).contradiction(), "");
}

TEST_F(CollectedPlaces, ARangeAtARegisterMayContainAnyItem) {
  TracepointAction at_register = range(16, 4);
  at_register.base = 6;
  EXPECT_EQ(collect("plant::level", at_register).contradiction(), "");
  description_.locations.clear();
  EXPECT_EQ(collect("plant::level", {at_register, range(level_, 2)}).contradiction(),
            "`plant::level` is at another place")
      << "a range begins at the item, and has only a part of it";
}

TEST_F(CollectedPlaces, ARangeThatEndsAtAnItemHasNothingOfIt) {
  TracepointAction at_register = range(16, 4);
  at_register.base = 6;
  EXPECT_EQ(collect("plant::level", {at_register, range(level_ - 4, 4)}).contradiction(), "");
}

TEST_F(CollectedPlaces, AnExpressionMayRecordMoreThanARange) {
  TracepointAction level{.kind = TracepointAction::Kind::Expression};
  level.code.push_back(std::byte{0x25});  // const64, trace_quick 4, end
  for (const char byte : number_bytes(level_, std::endian::big))
    level.code.push_back(static_cast<std::byte>(byte));
  for (const int byte : {0x0d, 4, 0x27}) level.code.push_back(static_cast<std::byte>(byte));
  EXPECT_EQ(collect("plant::level", {level, range(level_, 2)}).contradiction(), "");
}

TEST_F(CollectedPlaces, AVariableInARegisterIsNotEvidence) {
  Program fast(TRACED_FAST, Demangle::Simple);
  at_address("*lift", fast.functions("lift").front().address);
  description_.locations.back().commands = {"collect whole"};
  description_.locations.back().hit_actions = {at_frame(kCount, {0x22, 4, 0x0c, 0x27})};
  EXPECT_EQ(check(description_, fast, std::nullopt, default_layout("i386:x86-64")).first_contradiction, "");
}

TEST_F(CollectedPlaces, ItemsWithoutAPlaceProveNothing) {
  for (const char* const item :
       {"plain_start", "nothing_of_it", "plant::level + 1", "&plant::level", "$rax"}) {
    description_.locations.clear();
    EXPECT_EQ(collect(item, range(level_ + 4, 4)).contradiction(), "") << item;
  }
}

TEST_F(CollectedPlaces, FoundItemsConfirmTheProgram) {
  const auto weight = [this](const std::string& items, const std::vector<TracepointAction>& actions) {
    description_.locations.clear();
    return collect(items, actions).checked().weight;
  };
  const TracepointAction count = at_frame(kCount, {0x22, 4, 0x0c, 0x27});
  const std::size_t nothing = weight("$rax", {}), one = weight("count", {count});
  EXPECT_GT(one, nothing);
  EXPECT_EQ(weight("count, plant::level", {count, range(level_ - 8, 16)}), 2 * one - nothing);
  EXPECT_EQ(weight("count", {kNothing}), nothing);
  EXPECT_EQ(weight("count", {at_frame(kCount, {0x2a, 32, 0x22, 4, 0x0c, 0x27})}), nothing) << "a cut address";
  EXPECT_EQ(weight("/s count", {count}), nothing);
}

TEST_F(CollectedPlaces, ATextIsNotAtThePlaceOfItsPointer) {
  EXPECT_EQ(collect("/s count", range(level_, 4)).contradiction(), "");
}

// All of these addresses are in the function, so its name alone would allow each of them.
TEST_F(LoadBias, AFunctionIsNotTracedInsideItsPrologue) {
  const std::uint64_t start = kBias + address_of("plant::pump");
  for (const auto& [into, expected] : {std::pair{0u, 0u}, {1u, 1u}, {4u, 0u}, {5u, 1u}}) {
    description_.locations.clear();
    EXPECT_EQ(at_address("pump", start + into).contradictions(kBias), expected) << into;
  }
}

// A source line can have many locations. For example, hundreds of functions start on a line of a template.
TEST(ManyLocations, OfOneLineAgree) {
  Program program(TRACED_LINE, Demangle::Simple);
  Description description;
  for (const std::uint64_t address : program.line_addresses("traced_line.c", 1)) {
    TracepointLocation location;
    location.at = "traced_line.c:1";
    location.address = kBias + address;
    description.locations.push_back(location);
  }
  EXPECT_GE(description.locations.size(), 500u);
  const ProgramCheck check = tfile::check(description, program);
  EXPECT_THAT(check.bias, Optional(kBias));
  EXPECT_EQ(check.agreements, description.locations.size());
  EXPECT_EQ(check.contradictions, 0u);
  description.locations.back().address = kBias + program.functions("f250").front().address + 2;
  EXPECT_EQ(tfile::check(description, program, kBias).contradictions, 1u);
}

// If the cold part of a function is before the entry of the function, GDB moves tracepoints of this part to
// the entry.
TEST(RarelyRunCode, OfALineBelongsToItsFunction) {
  Program program(TRACED_COLD, Demangle::Simple);
  const int line = line_of("cold", "traced_cold.c");
  const std::uint64_t entry = program.functions("rarely").front().address;
  const auto rows = program.line_addresses("traced_cold.c", line);
  ASSERT_FALSE(rows.empty());
  ASSERT_LT(rows.front(), entry);
  Description description;
  TracepointLocation& location = description.locations.emplace_back();
  location.at = fmt::format("traced_cold.c:{}", line);
  for (const auto& [address, expected] : {std::pair{rows.front(), 0u}, {entry, 0u}, {entry + 1, 1u}}) {
    location.address = kBias + address;
    EXPECT_EQ(check(description, program, kBias).contradictions, expected) << address;
  }
}

TEST(FunctionMeant, IsTheOneInTheLocation) {
  const CodeInfo code{.function = "plant::valve",
                      .source = "plant.cpp:13",
                      .inlined = {"plant::valve", "plant::pipe<int>", "plant::pump(int)"}};
  EXPECT_EQ(function_meant("plant::pump", code), "plant::pump(int)");
  EXPECT_EQ(function_meant("-qualified plant::pump(int)", code), "plant::pump(int)");
  EXPECT_EQ(function_meant("-function pipe", code), "plant::pipe<int>");
  EXPECT_EQ(function_meant("valve.cpp:pump", code), "plant::pump(int)");
  EXPECT_EQ(function_meant("pump:label", code), "plant::pump(int)");
  EXPECT_EQ(function_meant("*&pump", code), "plant::pump(int)");
  EXPECT_EQ(function_meant("*pipe+4", code), "plant::pipe<int>");
  for (const char* const other : {"", "main", "pump:13", "-source pump -line 13", "*0x1234", "*$pc"})
    EXPECT_EQ(function_meant(other, code), "") << other;
  EXPECT_EQ(function_meant("valve", {.function = "plant::valve", .source = "", .inlined = {}}), "")
      << "nothing is inlined";
}

}  // namespace
}  // namespace convert::tfile
