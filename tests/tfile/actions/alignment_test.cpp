// Tests the class Alignment, which finds the item that each expression records.
#include "converters/tfile/actions/alignment.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace convert::tfile {
namespace {

// Each item has a row, with a letter for each expression:
//   x  the item may have the expression
//   m  the expression would be a misfit for the item
//   .  the item can't have the expression
// After the letters, '?' means that the item may have no expression, and '*' that it may have several.
//
// For each expression, the result has the number of its item. "-" means that no item has the expression, or
// that alignments differ. "!" means that the item before it may have a misfit. If no alignment exists, the
// result is "impossible".
std::string aligned(const std::vector<std::string>& rows, std::size_t expressions) {
  Alignment alignment;
  alignment.start(rows.size(), expressions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < expressions; ++j)
      if (rows[i][j] != '.') alignment.allow(i, j, rows[i][j] == 'm');
    if (rows[i].find('?') != std::string::npos) alignment.allow_none(i);
    if (rows[i].find('*') != std::string::npos) alignment.allow_many(i);
  }
  if (!alignment.solve()) return "impossible";
  std::string found;
  for (std::size_t j = 0; j < expressions; ++j) {
    const auto item = alignment.item_of(j);
    found += item ? static_cast<char>('0' + *item) : '-';
    if (item && alignment.can_be_misfit(*item)) found += '!';
  }
  EXPECT_EQ(alignment.has_misfits(), found.find('!') != std::string::npos);
  return found;
}

TEST(Alignments, KeepTheOrder) {
  EXPECT_EQ(aligned({"xx", "xx"}, 2), "01");
  EXPECT_EQ(aligned({".x", "x."}, 2), "impossible") << "crossed";
  EXPECT_EQ(aligned({}, 0), "");
}

TEST(Alignments, MayLeaveItemsOut) {
  EXPECT_EQ(aligned({"x?", "x"}, 1), "1");
  EXPECT_EQ(aligned({"x?", "x?"}, 1), "-") << "either";
  EXPECT_EQ(aligned({"x?", ".?"}, 1), "0");
  EXPECT_EQ(aligned({"x", "x"}, 1), "impossible");
}

TEST(Alignments, MayGiveAnItemSeveralExpressions) {
  EXPECT_EQ(aligned({"xxx?*"}, 3), "000");
  EXPECT_EQ(aligned({"xxx?*", "xxx"}, 3), "001");
  EXPECT_EQ(aligned({"xx?*", "xx?*"}, 2), "--");
  EXPECT_EQ(aligned({"x.x?*", ".x."}, 3), "impossible");
}

// The first expressions may come from `default-collect`, so they have no item. This is assumed only if all
// other alignments are impossible.
TEST(Alignments, MayBeginWithOtherExpressions) {
  EXPECT_EQ(aligned({"xxx", "xxx"}, 3), "-01");
  EXPECT_EQ(aligned({".x"}, 2), "-0");
  EXPECT_EQ(aligned({"x."}, 2), "impossible") << "but not end with them";
}

TEST(Alignments, HaveAsFewMisfitsAsPossible) {
  EXPECT_EQ(aligned({"mm", "xx"}, 2), "0!1");
  EXPECT_EQ(aligned({"mx", "xm"}, 2), "0!1!") << "crossed";
  EXPECT_EQ(aligned({"x...", ".mm.?*", "mmmx"}, 4), "01!1!2");
  EXPECT_EQ(aligned({"m", "m"}, 1), "impossible");
  EXPECT_EQ(aligned({"xm"}, 2), "impossible") << "only good ones begin with others";
  EXPECT_EQ(aligned({"mx"}, 2), "-0") << "of default-collect";
}

TEST(Alignments, FindItemsWithoutAnExpression) {
  Alignment alignment;
  alignment.start(2, 1);
  alignment.allow_none(0);
  alignment.allow(1, 0);
  ASSERT_TRUE(alignment.solve());
  EXPECT_TRUE(alignment.can_have_none(0));
  EXPECT_FALSE(alignment.can_have_one(0));
  EXPECT_FALSE(alignment.can_have_none(1));
  EXPECT_TRUE(alignment.can_have_one(1));
}

TEST(Alignments, AreLimited) {
  Alignment alignment;
  alignment.start(1000, 1000);
  EXPECT_FALSE(alignment.solve());
}

}  // namespace
}  // namespace convert::tfile
