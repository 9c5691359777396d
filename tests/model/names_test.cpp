#include "converters/model/names/names.h"

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace convert {
namespace {

TEST(Names, TheSameTextHasTheSameId) {
  Names names;
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(names.intern("a"), NameId{0});
  EXPECT_EQ(names.intern(""), NameId{1});
  EXPECT_EQ(names.intern(with_nul), NameId{2});
  EXPECT_EQ(names.intern("a"), NameId{0});
  EXPECT_EQ(names.intern(""), NameId{1});
  EXPECT_EQ(names.text(NameId{2}), with_nul);
  EXPECT_EQ(names.size(), 3u);
}

TEST(Names, SeveralTextsGetTheirIdsAtOnce) {
  Names names;
  const NameId known = names.intern("known");
  const std::array<std::string, 4> texts{"new", "known", "other", "new"};
  std::array<NameId, 4> ids;
  names.intern(texts, ids);
  EXPECT_EQ(ids[1], known);
  EXPECT_EQ(ids[0], ids[3]);
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(names.intern(texts.at(i)), ids.at(i));
  EXPECT_EQ(names.size(), 3u);
}

TEST(Names, TheSamePairHasTheSameLabel) {
  Names names;
  const LabelId ab = names.intern_label("a", "b"), ba = names.intern_label("b", "a");
  EXPECT_NE(ab, ba);
  EXPECT_EQ(names.intern_label("a", "b"), ab);
  EXPECT_EQ(names.label_count(), 2u);
  EXPECT_EQ(names.text(names.label(ba).category), "b");
  EXPECT_EQ(names.text(names.label(ba).name), "a");
}

// The texts need several chunks, and some texts are longer than a chunk.
TEST(Names, TextsDoNotMove) {
  constexpr std::uint32_t kNames = 20'000;
  Names names;
  const std::string long_text(1'000'000, 'x');
  std::vector<std::string_view> texts;
  for (std::uint32_t i = 0; i < kNames; ++i) {
    const NameId id = names.intern(fmt::format("{}{}", i, i % 5000 == 0 ? long_text : ""));
    ASSERT_EQ(id, NameId{i});
    texts.push_back(names.text(id));
    ASSERT_EQ(names.intern_label(NameId{i / 2}, id), LabelId{i});
  }
  for (std::uint32_t i = 0; i < kNames; ++i) {
    ASSERT_EQ(names.text(NameId{i}).data(), texts[i].data());
    ASSERT_EQ(texts[i], fmt::format("{}{}", i, i % 5000 == 0 ? long_text : ""));
    ASSERT_EQ(names.label(LabelId{i}).category, NameId{i / 2});
    ASSERT_EQ(names.intern_label(NameId{i / 2}, NameId{i}), LabelId{i});
  }
}

TEST(Names, TwoThreadsCanInternTheSameTexts) {
  Names names;
  const auto intern_all = [&] {
    for (int i = 0; i < 5000; ++i) {
      const std::string text = fmt::format("{}", i);
      const LabelId label = names.intern_label("category", text);
      if (names.text(names.label(label).name) != text) ADD_FAILURE() << i;
    }
  };
  std::thread other(intern_all);
  intern_all();
  other.join();
  EXPECT_EQ(names.size(), 5001u);
  EXPECT_EQ(names.label_count(), 5000u);
}

}  // namespace
}  // namespace convert
