#include <array>
#include <cstdint>
#include <filesystem>
#include <gmock/gmock.h>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/support/program_text.h"
#include "fxt/support/similar_names.h"

namespace fxt::test {
namespace {

using testing::ElementsAre;

enum class Color : std::uint8_t { Red, Green };

struct Wishes {
  Color color = Color::Red;
  std::filesystem::path file;
  std::vector<std::string> names;
  bool loud = false;
  std::uint64_t address = 0;
};

OptionTable table_of(Wishes& wishes) {
  return {
      {.title = "Shown:",
       .options = {choice("color", wishes.color, {{"red", Color::Red}, {"green", Color::Green}},
                          "of the lines"),
                   {.name = "name",
                    .argument = "NAME",
                    .help = "may be given again",
                    .value = store_in(wishes.names),
                    .may_repeat = true}}},
      {.title = "Nothing:", .options = {}},
      {.title = "Said:",
       .options = {
           {.name = "loud", .letter = 'l', .help = "as loud as it can be", .value = store_in(wishes.loud)},
           {.name = "file", .argument = "FILE", .help = "to be read", .value = store_in(wishes.file)},
           {.name = "at", .argument = "ADDRESS", .help = "where", .value = each<Address>([&](Address given) {
                                                                    wishes.address = given.value;
                                                                  })}}}};
}

std::vector<std::string> parse_all(Wishes& wishes, std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  const OptionTable table = table_of(wishes);
  const CommandLine line = parse(static_cast<int>(words.size()), words.data(), table);
  for (const CommandLine::Given& given : line.options) take(given);
  return line.paths;
}

std::string problem_of(std::vector<const char*> words) {
  Wishes wishes;
  try {
    parse_all(wishes, std::move(words));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(OptionTable, OptionsGetTheirValues) {
  Wishes wishes;
  EXPECT_THAT(parse_all(wishes, {"in", "--color", "green", "-l", "--name=a", "--file", "x y", "--name", "b",
                                 "--at=0x1f", "out"}),
              ElementsAre("in", "out"));
  EXPECT_EQ(wishes.color, Color::Green);
  EXPECT_EQ(wishes.file, "x y");
  EXPECT_THAT(wishes.names, ElementsAre("a", "b"));
  EXPECT_TRUE(wishes.loud);
  EXPECT_EQ(wishes.address, 0x1f);
}

// If two options set the same value, the last option is used.
TEST(OptionTable, OptionsApplyInTheOrderOfTheCommandLine) {
  std::string told;
  const auto tell = each<std::string>([&](const std::string& text) { told.append(text).append(";"); });
  const OptionTable table{
      {.title = "All:",
       .options = {
           {.name = "one", .letter = 'o', .argument = "X", .help = {}, .value = tell, .may_repeat = true},
           {.name = "two", .argument = "X", .help = {}, .value = tell, .may_repeat = true},
           {.name = "switch", .letter = 's', .help = {}, .value = each_time([&] { told.append(";"); })}}}};
  const std::array words{"program", "--two=a", "path", "-ob", "-s", "--two", "c", "-o", "d"};
  const CommandLine line = parse(words.size(), words.data(), table);
  for (const CommandLine::Given& given : line.options) take(given);
  EXPECT_EQ(told, "a;b;;c;d;");
  EXPECT_THAT(line.paths, ElementsAre("path"));
}

TEST(OptionTable, OptionsWithoutEffectAreReported) {
  bool is_given = false;
  const OptionTable table{{.title = "All:",
                           .options = {flag("one", '1', is_given, {}), flag("two", '2', is_given, {}),
                                       only_with({"one", "two"}, flag("either", 'e', is_given, {})),
                                       not_with({"one", "two"}, flag("neither", 'n', is_given, {}))}}};
  const auto problems_of = [&](std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return parse(static_cast<int>(words.size()), words.data(), table).without_effect();
  };
  EXPECT_THAT(problems_of({"--either", "-1"}), ElementsAre());
  EXPECT_THAT(problems_of({"-2e"}), ElementsAre());
  EXPECT_THAT(problems_of({"--neither"}), ElementsAre());
  EXPECT_THAT(problems_of({"-e"}), ElementsAre("--either has no effect without --one or --two"));
  EXPECT_THAT(problems_of({"-n2"}), ElementsAre("--neither has no effect with --two"));
  EXPECT_THAT(problems_of({"-en"}), ElementsAre("--either has no effect without --one or --two"));
}

TEST(OptionTable, MissingOptionsHaveNoEffect) {
  Wishes wishes;
  EXPECT_THAT(parse_all(wishes, {}), ElementsAre());
  EXPECT_EQ(wishes.color, Color::Red);
  EXPECT_FALSE(wishes.loud);
}

TEST(OptionTable, AddressesAreDecimalOrHexadecimal) {
  Wishes wishes;
  parse_all(wishes, {"--at=31"});
  EXPECT_EQ(wishes.address, 31);
  EXPECT_EQ(problem_of({"--at=0x"}), "--at takes an address, not '0x'");
  EXPECT_EQ(problem_of({"--at=1f"}), "--at takes an address, not '1f'");
  EXPECT_EQ(problem_of({"--at=0x10000000000000000"}), "--at takes an address, not '0x10000000000000000'");
}

// A user can override an option in a script by adding it again at the end.
TEST(OptionTable, TheLastValueIsUsed) {
  Wishes wishes;
  parse_all(wishes, {"--color=red", "--at=31", "--color=green", "--at", "32"});
  EXPECT_EQ(wishes.color, Color::Green);
  EXPECT_EQ(wishes.address, 32);
  parse_all(wishes, {"--color=blue", "--color=red"});  // the last value is used
  EXPECT_EQ(wishes.color, Color::Red);
}

TEST(OptionTable, WrongUsageIsReported) {
  EXPECT_EQ(problem_of({"--color=blue"}), "--color takes one of red, green, not 'blue'");
  EXPECT_EQ(problem_of({"--somewhere=red"}), "unrecognised option '--somewhere=red'");
  EXPECT_EQ(problem_of({"-x"}), "unrecognised option '-x'");
  EXPECT_EQ(problem_of({"--file"}), "the required argument for option '--file' is missing");
}

TEST(OptionTable, MisspelledOptionsGetSuggestions) {
  EXPECT_EQ(problem_of({"--col=red"}), "unrecognised option '--col=red'; did you mean --color?");
  EXPECT_EQ(problem_of({"--colors=red"}), "unrecognised option '--colors=red'; did you mean --color?");
  EXPECT_EQ(problem_of({"--flle"}), "unrecognised option '--flle'; did you mean --file?");
  EXPECT_EQ(problem_of({"--flie"}), "unrecognised option '--flie'; did you mean --file?");
  EXPECT_EQ(problem_of({"--lame"}), "unrecognised option '--lame'; did you mean --name?");
}

TEST(OptionTable, HelpHasTwoColumnsAndNoEmptyGroups) {
  Wishes wishes;
  EXPECT_EQ(help_of(table_of(wishes)), R"(Shown:
  --color red|green         of the lines
  --name NAME               may be given again

Said:
  -l, --loud                as loud as it can be
  --file FILE               to be read
  --at ADDRESS              where

)");
}

struct LongHelp {
  std::string argument, help, text;
};

void PrintTo(const LongHelp& given, std::ostream* out) {
  *out << given.argument.size() << ' ' << given.help.size();
}

class OptionHelp : public testing::TestWithParam<LongHelp> {};

TEST_P(OptionHelp, FitsIntoEightyColumns) {
  const OptionTable table{
      {.title = "All:",
       .options = {{.name = "o", .argument = GetParam().argument, .help = GetParam().help, .value = {}}}}};
  EXPECT_EQ(help_of(table), "All:\n" + GetParam().text + "\n");
}

const std::string kIndent(28, ' ');
const std::string kFull(52, 'x');  // after the indent, fills a line up to column 80
INSTANTIATE_TEST_SUITE_P(
    All, OptionHelp,
    testing::Values(
        LongHelp{"ARGUMENT", kFull, "  --o ARGUMENT              " + kFull + "\n"},
        LongHelp{"A", kFull + " y", "  --o A                     " + kFull + "\n" + kIndent + "y\n"},
        LongHelp{"A", "a " + kFull + " b",
                 "  --o A                     a\n" + kIndent + kFull + "\n" + kIndent + "b\n"},
        // If the argument and the help have at least one blank between them, they are on the same line.
        // Otherwise, each has its own line.
        LongHelp{std::string(21, 'A'), "b", "  --o " + std::string(21, 'A') + " b\n"},
        LongHelp{std::string(22, 'A'), "b", "  --o " + std::string(22, 'A') + "\n" + kIndent + "b\n"},
        LongHelp{"A", kFull + "xx", "  --o A                     " + kFull + "xx\n"}));

TEST(SimilarNames, SwappedLettersAreNearest) {
  SimilarNames similar("mian");
  for (const char* const name : {"atan", "fmin", "main", "mind"}) similar.consider(name);
  EXPECT_THAT(similar.nearest(), testing::ElementsAre("main", "atan", "fmin"));
  EXPECT_EQ(letters_between("abcd", "badc"), 2);
  EXPECT_EQ(letters_between("ab", "bca"), 3) << "nothing is put between those that are swapped";
  EXPECT_EQ(letters_between("", "abc"), 3);
}

}  // namespace
}  // namespace fxt::test
