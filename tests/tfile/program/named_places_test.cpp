// Tests how functions are found by address, and by parts of their names.
#include "converters/tfile/program/named_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace convert::tfile {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KeysOfNames, AreTheLastIdentifiersBeforeTemplateArguments) {
  EXPECT_EQ(key_of_name("run"), "run");
  EXPECT_EQ(key_of_name("ns::Class::run"), "run");
  EXPECT_EQ(key_of_name("ns::Box<int>::run"), "Box");
  EXPECT_EQ(key_of_name("vtable for ns::Node"), "Node");
  EXPECT_EQ(key_of_name("A::~A"), "A");
  EXPECT_EQ(key_of_name("A::operator+"), "");
  EXPECT_EQ(key_of_name("prog.Mode.on"), "on");
}

// The simplest mangled names are found without demangling.
TEST(KeysOfNames, AreFoundInMangledNames) {
  for (const auto& [symbol, key] :
       std::vector<std::pair<std::string, std::string>>{{"main", "main"},
                                                        {"_Z3runi", "run"},
                                                        {"_ZL3runi", "run"},
                                                        {"_ZN2ns5Class3runEv", "run"},
                                                        {"_ZNK2ns5Class3runEi", "run"},
                                                        {"_ZN2ns5ClassC2Ev", "Class"},
                                                        {"_ZN2ns5ClassD0Ev", "Class"},
                                                        {"_ZN2ns3BoxIiE3runEv", "Box"},
                                                        {"_ZN12_GLOBAL__N_13runEv", "run"},
                                                        {"_ZN2ns3runB5cxx11Ev", "run"},
                                                        {"_ZSt4swapIiEvRT_S1_", "swap"},
                                                        {"_ZNSt6thread4joinEv", "join"},
                                                        {"_ZTVN2ns4NodeE", "Node"},
                                                        {"_ZTI4Node", "Node"},
                                                        {"_ZN2ns3runEv.cold", "run"}}) {
    EXPECT_EQ(key_of_symbol(symbol), key) << symbol;
    EXPECT_EQ(key_of_name(plain_name_of(symbol)), key) << symbol;
  }
}

TEST(KeysOfNames, NeedDemanglingInOtherForms) {
  for (const char* const symbol :
       {"_ZN4core3fmt5write17h0123456789abcdefE", "_ZN2nsplERKS_S1_", "_ZN1AcvbEv", "_ZZ4mainENKUliE_clEi",
        "_ZThn16_N1B2idEv", "_RNvC1a3run", "_D4prog3runFZv", "_ZN", "_Z", "_Z9run", "_ZN3$u7E", "_ZTC1D0_1B"})
    EXPECT_EQ(key_of_symbol(symbol), std::nullopt) << symbol;
}

class PlacesWithNames : public testing::Test {
 protected:
  std::string at(std::uint64_t address) const {
    const auto* const place = places_.find(address);
    return place != nullptr ? place->symbol : "";
  }
  std::vector<std::string> with_key_of(const std::string& name) {
    std::vector<std::string> symbols;
    for (const auto& key : places_.with_key_of(name)) symbols.emplace_back(places_.at(key).symbol);
    return symbols;
  }
  NamedPlaces places_;
};

TEST_F(PlacesWithNames, AreFoundByAddress) {
  places_.add(0x30, 8, "last");
  places_.add(0x10, 0x18, "outer");
  places_.add(0x14, 4, "inner");
  places_.add(0x14, 4, "alias");
  places_.add(0x18, 0, "label");
  places_.put_in_order();
  EXPECT_EQ(at(0xf), "");
  EXPECT_EQ(at(0x10), "outer");
  EXPECT_EQ(at(0x17), "alias") << "it was added after the other one";
  EXPECT_EQ(at(0x18), "outer");
  EXPECT_EQ(at(0x28), "");
  EXPECT_EQ(at(0x37), "last");
  EXPECT_EQ(at(0x38), "");
}

TEST_F(PlacesWithNames, MayEncloseVeryManyOthers) {
  places_.add(0, 1'000'000, "outer");
  for (std::uint64_t i = 1; i < 1000; ++i) places_.add(100 * i, 10, "inner");
  places_.put_in_order();
  EXPECT_EQ(at(99'900), "inner");
  EXPECT_EQ(at(99'950), "outer");
  EXPECT_EQ(at(999'999), "outer");
  EXPECT_EQ(at(1'000'000), "");
}

TEST_F(PlacesWithNames, AreFoundByTheLastPartOfTheirNames) {
  places_.add(0x20, 4, "_ZN2ns3runEv");
  places_.add(0x10, 4, "run");
  places_.add(0x30, 4, "_ZN1AplEi");
  places_.put_in_order();
  EXPECT_THAT(with_key_of("other::run"), ElementsAre("run", "_ZN2ns3runEv"));
  EXPECT_THAT(with_key_of("A::operator+"), ElementsAre("_ZN1AplEi"));
  EXPECT_THAT(with_key_of("un"), IsEmpty());
}

}  // namespace
}  // namespace convert::tfile
