#include "converters/model/sink/string_refs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "fxt/output.h"

namespace convert {
namespace {

using testing::ElementsAre;

class StringRefsTest : public testing::Test {
 protected:
  NameId name(std::string_view text) {
    const NameId id = names.intern(text);
    strings.grow();
    return id;
  }
  LabelId label(std::string_view text) {
    const LabelId id = names.intern_label("app", text);
    strings.grow();
    labels.grow();
    return id;
  }
  void fill_table() {
    for (int i = 0; !strings.table_is_full(); ++i) strings.table_ref(name(std::to_string(i)));
  }

  Names names;
  fxt::MemoryOutput output;
  fxt::Writer writer{output, {.provider_name = "t"}};
  StringRefs strings{writer, names};
  LabelHeaders labels{strings, names};
};

TEST_F(StringRefsTest, AUsedNameHasARefToTheTable) {
  const NameId a = name("a"), b = name("b");
  EXPECT_EQ(strings.table_ref(b), 1);
  EXPECT_EQ(strings.table_ref(b), 1);
  EXPECT_THAT(strings.refs(), ElementsAre(kNoRef, 1));
  EXPECT_EQ(strings.ref_of(a).ref, 2);
}

TEST_F(StringRefsTest, AFullTableLeavesTheTextInTheRecord) {
  fill_table();
  const NameId late = name("late"), long_name = name(std::string(300, 'x'));
  const std::uint64_t before = strings.inline_names();
  EXPECT_FALSE(strings.table_ref(late));
  EXPECT_EQ(strings.ref_of(late).inline_text, "late");
  EXPECT_EQ(strings.ref_of(long_name).inline_text.size(), kInlineNameBytes);
  EXPECT_EQ(strings.inline_names(), before + 2);
  EXPECT_EQ(strings.cut_strings(), 1u);
}

TEST_F(StringRefsTest, InvalidTextsAreEscaped) {
  EXPECT_EQ(strings.valid("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(strings.repaired_strings(), 0u);
  EXPECT_EQ(strings.valid("caf\xe9"), "caf\\351");
  EXPECT_EQ(strings.repaired_strings(), 1u);
}

TEST_F(StringRefsTest, TextsOfARecordAreCutToFitTogether) {
  const NameId n = name("n");
  Arguments arguments;
  for (const char c : {'a', 'b'}) arguments.add({n, std::string(kStringBytesPerRecord, c)});
  arguments.add({n, n});
  strings.register_names(arguments.row());
  StringRefs::Texts texts;
  strings.collect_texts(arguments.row(), texts);
  EXPECT_EQ(texts[0], std::string(kStringBytesPerRecord / 2, 'a'));
  EXPECT_EQ(texts[1], std::string(kStringBytesPerRecord / 2, 'b'));
  EXPECT_EQ(texts[2], "") << "in the table";
  EXPECT_EQ(strings.cut_strings(), 2u);
}

TEST_F(StringRefsTest, ALabelHasOneHeader) {
  const LabelId main = label("main");
  EXPECT_EQ(labels.word(main), 0u);
  EXPECT_EQ(labels.make(main), header_of(1, 2));
  EXPECT_EQ(labels.make(main), labels.word(main));
}

TEST_F(StringRefsTest, TheHeaderHoldsTheNameIfTheTableIsFull) {
  labels.make(label("first"));
  fill_table();
  const LabelId late = label("late"), too_long = label(std::string(300, 'x')), frame = label("frame");
  EXPECT_TRUE(has_inline_name(labels.make(late)));
  EXPECT_EQ(std::string_view(labels.headers()[index_of(late)].inline_name, 4), "late");
  EXPECT_EQ(labels.make(too_long), 0u) << "each record cuts it anew";
  EXPECT_EQ(labels.make(frame), 0u);
  EXPECT_TRUE(labels.names_a_frame(frame));
  EXPECT_FALSE(labels.names_a_frame(late));
}

}  // namespace
}  // namespace convert
