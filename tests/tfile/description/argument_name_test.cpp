#include "converters/tfile/description/argument_name.h"

#include <gtest/gtest.h>

namespace convert::tfile {
namespace {

TEST(ArgumentName, IsTheTextIfPerfettoCanShowIt) {
  for (const char* const text :
       {"total", "*p", "p->next", "byval.x", "a[1][20].y", "a[999]", "$rip", "", "."})
    EXPECT_EQ(argument_name(text), text);
}

TEST(ArgumentName, VariablesNamedLikeArgumentsOfTheFrameAreMarked) {
  EXPECT_EQ(argument_name("loc"), "loc (program)");
  EXPECT_EQ(argument_name("loc.x.y"), "loc (program).x.y");
  EXPECT_EQ(argument_name("time[3]"), "time (program)[3]");
  EXPECT_EQ(argument_name("locations"), "locations");
}

TEST(ArgumentName, OnlySmallNumbersAreIndexes) {
  EXPECT_EQ(argument_name("*&arr[i]"), "*&arr(i)");
  EXPECT_EQ(argument_name("pool[1].row[i&3].id"), "pool(1).row(i&3).id");
  EXPECT_EQ(argument_name("GR.arr[-1]"), "GR.arr(-1)");
  EXPECT_EQ(argument_name("huge[4000000000]"), "huge(4000000000)");
  EXPECT_EQ(argument_name("a[]"), "a()");
  EXPECT_EQ(argument_name("a[b[1]]"), "a(b(1))");
  EXPECT_EQ(argument_name("a[1"), "a(1");
}

}  // namespace
}  // namespace convert::tfile
