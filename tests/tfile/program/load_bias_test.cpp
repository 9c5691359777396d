// Finding the load address of a position-independent program (fact sheet, section 11).
#include "converters/tfile/program/load_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

using testing::Optional;

constexpr std::uint64_t kBias = 0x7f12'3456'7000;
constexpr std::uint64_t kUsualBias = 0x5555'5555'4000;

class LoadBias : public testing::Test {
 public:
  // Adds a tracepoint, `into` bytes after the beginning of a function; the program was loaded at `bias`.
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
  std::optional<std::uint64_t> bias() const { return find_load_bias(description_, program_); }

  Program program_{TRACED_PIE, Demangle::Simple};
  Description description_;
};

TEST_F(LoadBias, OfAFunctionByItsName) {
  for (const char* const at : {"plain_start", "*plain_start+4", "*&plain_start", "-function plain_start",
                               "traced_program.cpp:plain_start"}) {
    description_.locations.clear();
    EXPECT_THAT(tracepoint(at, "plain_start", kBias).bias(), Optional(kBias)) << at;
  }
}

TEST_F(LoadBias, OfAFunctionInANamespace) {
  for (const char* const at :
       {"plant::pump", "pump", "-qualified plant::pump", "traced_program.cpp:plant::pump"}) {
    description_.locations.clear();
    EXPECT_THAT(tracepoint(at, "plant::pump", kBias).bias(), Optional(kBias)) << at;
  }
}

TEST_F(LoadBias, OfASourceLine) {
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

TEST_F(LoadBias, OfACollectedObject) {
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
  description_.locations.front().hit_actions.front().length = readings.size - 1;  // another object
  EXPECT_NE(bias(), kBias);
}

TEST_F(LoadBias, IsWhatMostLocationsAgreeOn) {
  tracepoint("pump", "drain", kBias + 0x3000);  // a vote for another bias
  tracepoint("plain_start", "plain_start", kBias).tracepoint("drain", "drain", kBias);
  EXPECT_THAT(bias(), Optional(kBias));
}

TEST_F(LoadBias, WithoutEvidenceIsWhereLinuxLoadsItForDebuggers) {
  tracepoint("*0x555555555150", "plain_start", kUsualBias);
  EXPECT_THAT(bias(), Optional(kUsualBias));
  tracepoint("*0x7f1234568000", "plain_start", kBias);
  EXPECT_EQ(bias(), std::nullopt);
}

TEST_F(LoadBias, IsUnknownWithoutTracepoints) { EXPECT_EQ(bias(), std::nullopt); }

TEST_F(LoadBias, OfAProgramAtAFixedAddressIsNone) {
  const Program fixed(TRACED_FIXED, Demangle::Simple);
  EXPECT_THAT(find_load_bias(description_, fixed), Optional(0u));
}

TEST_F(LoadBias, AProgramWithoutTheFunctionsIsAnotherOne) {
  tracepoint("plain_start", "plain_start", kBias);
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
  EXPECT_FALSE(may_be_traced(description_, program_, kBias + 0x1000));
  EXPECT_TRUE(may_be_traced(description_, program_, std::nullopt));
  description_.locations.front().at = "somebody_elses";
  EXPECT_FALSE(may_be_traced(description_, program_, kBias));
  EXPECT_FALSE(may_be_traced(description_, program_, std::nullopt));
  description_.locations.front().at = "*0x401000";  // no evidence
  EXPECT_TRUE(may_be_traced(description_, program_, kBias + 0x1000));
  // One matching location is enough: others may be in libraries.
  description_.locations.front().at = "somebody_elses";
  tracepoint("traced_program.cpp:plant::pump", "plant::pump", kBias);
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
  // A location without a name is no evidence.
  description_.locations.front().at = "*0x401000";
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
  description_.locations.back().at = "somebody_elses";
  EXPECT_FALSE(may_be_traced(description_, program_, kBias));
}

TEST_F(LoadBias, AProgramWithoutTheLinesIsAnotherOne) {
  const auto addresses = program_.line_addresses("traced_program.cpp", line_of("plain_start"));
  TracepointLocation location;
  location.at = "traced_program.cpp:" + std::to_string(line_of("plain_start"));
  location.address = kBias + addresses.front();
  description_.locations.push_back(location);
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
  EXPECT_TRUE(may_be_traced(description_, program_, std::nullopt));
  EXPECT_FALSE(may_be_traced(description_, program_, kBias + 0x1000));
  description_.locations.front().at = "another.cpp:1";
  EXPECT_FALSE(may_be_traced(description_, program_, kBias));
  tracepoint("plain_start", "plain_start", kBias);
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
}

TEST_F(LoadBias, AnInlinedFunctionIsThere) {
  const auto addresses = program_.line_addresses("traced_program.cpp", line_of("valve"));
  TracepointLocation location;
  location.at = "plant::valve";
  location.address = kBias + addresses.front();
  description_.locations.push_back(location);
  program_.set_load_bias(kBias);
  EXPECT_TRUE(may_be_traced(description_, program_, kBias));
}

}  // namespace
}  // namespace convert::tfile
