// How the places of tracepoints are called.
#include "converters/tfile/description/spoken_location.h"

#include <gtest/gtest.h>
#include <string>

namespace convert::tfile {
namespace {

struct Place {
  std::string at, spoken;
};
class Places : public testing::TestWithParam<Place> {};
INSTANTIATE_TEST_SUITE_P(All, Places,
                         testing::Values(Place{"fib", "fib"}, Place{"demo.c:63", "demo.c:63"},
                                         Place{"-function fib", "fib"}, Place{"-qualified greet", "greet"},
                                         Place{"-source demo.c -line 63", "demo.c:63"},
                                         Place{"-qualified -function a::b", "a::b"},
                                         Place{"*0x401202", "*0x401202"}, Place{"app::twice", "app::twice"}));
TEST_P(Places, AreSpokenShortly) { EXPECT_EQ(spoken_location(GetParam().at), GetParam().spoken); }

}  // namespace
}  // namespace convert::tfile
