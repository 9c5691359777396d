// Tests the help, the manual page and the completions of a small program. The program's options contain all
// characters that have a special meaning in at least one of these texts.
#include "fxt/support/program_text.h"

#include <gmock/gmock.h>

namespace fxt::test {
namespace {

class ProgramTexts : public testing::Test {
 protected:
  // Returns the text that the program prints for these arguments.
  std::string text(std::vector<const char*> words) {
    words.insert(words.begin(), "draw");
    TextOptions texts;
    const ValueMaker ignored = each<std::string>([](const std::string&) {});
    const OptionTable table{{.title = "Drawn:",
                             .options = {{.name = "ink",
                                          .letter = 'i',
                                          .argument = "red|green",
                                          .help = "it's [what] is seen: not \\ paper",
                                          .value = each<std::string>(
                                              [](const std::string&) { ADD_FAILURE() << "told its value"; })},
                                         {.name = "page",
                                          .argument = "A:B",
                                          .help = "'only' that; or that",
                                          .value = ignored,
                                          .may_repeat = true},
                                         {.name = "from",
                                          .letter = 'f',
                                          .argument = "FILE",
                                          .help = ".txt (or not)",
                                          .value = ignored}}},
                            texts.group()};
    const CommandLine line = parse(static_cast<int>(words.size()), words.data(), table);
    return texts.text_of(program_, table, line).value_or("none");
  }

  ProgramText program_{.name = "draw",
                       .version = "1.2",
                       .summary = "draws lines",
                       .synopses = {"[OPTIONS] IN", "OUT"},
                       .description =
                           "First.\n\n.Second, which is longer than a line of eighty columns can be, "
                           "so that it is broken.",
                       .exit_status = "0 done."};
};

TEST_F(ProgramTexts, NoTextIsRequested) { EXPECT_EQ(text({"-i", "red", "x"}), "none"); }

TEST_F(ProgramTexts, OtherOptionsAreIgnoredForTexts) { EXPECT_EQ(text({"-i", "blue", "-V"}), "draw 1.2\n"); }

TEST_F(ProgramTexts, Help) {
  EXPECT_EQ(text({"--help"}), R"(Usage: draw [OPTIONS] IN
       draw OUT

First.

.Second, which is longer than a line of eighty columns can be, so that it is
broken.

Drawn:
  -i, --ink red|green       it's [what] is seen: not \ paper
  --page A:B                'only' that; or that
  -f, --from FILE           .txt (or not)

Information:
  -h, --help                print this text
  -V, --version             print the version
  --manual                  print this text as a page for man(1)
  --completion bash|zsh|fish
                            print a script that completes the options in this
                            shell

Exit status: 0 done.
)");
}

TEST_F(ProgramTexts, TheShortHelpHasExamplesAndCommonOptions) {
  EXPECT_EQ(text({"-h"}), text({"--help"}));  // the program has no short help
  program_.examples = {{"draw in out", "draws a line"}, {"draw -i red in", "a red one"}};
  program_.common_options = {"ink", "help"};
  EXPECT_EQ(text({"-h"}), R"(draw draws lines

  draw in out     draws a line
  draw -i red in  a red one

  -i, --ink red|green       it's [what] is seen: not \ paper
  -h, --help                print this text

`draw --help` lists all options.
)");
  EXPECT_THAT(text({"--help"}), testing::StartsWith("Usage: draw [OPTIONS] IN\n"));
  EXPECT_EQ(text({"-hV"}), text({"-h"}));
  EXPECT_EQ(text({"-Vh"}), text({"-h"}));
}

TEST_F(ProgramTexts, Manual) {
  EXPECT_THAT(text({"--manual"}), testing::StartsWith(R"(.TH DRAW 1 "" "draw 1.2" "User Commands"
.SH NAME
draw \- draws lines
.SH SYNOPSIS
\fBdraw\fR [OPTIONS] IN
.br
\fBdraw\fR OUT
.SH DESCRIPTION
.PP
First.
.PP
\&.Second, which is longer than a line of eighty columns can be, so that it is broken.
.SH OPTIONS
.SS Drawn:
.TP
\fB\-i\fR, \fB\-\-ink\fR \fIred|green\fR
it's [what] is seen: not \e paper
.TP
\fB\-\-page\fR \fIA:B\fR
\&'only' that; or that
.TP
\fB\-f\fR, \fB\-\-from\fR \fIFILE\fR
\&.txt (or not)
.SS Information:
)"));
  EXPECT_THAT(text({"--manual"}), testing::EndsWith("\n.SH EXIT STATUS\n0 done.\n"));
}

TEST_F(ProgramTexts, Bash) {
  EXPECT_EQ(text({"--completion=bash"}), R"(_draw() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $before in
    -i|--ink)
      words='red green' ;;
    --page)
      words='' ;;
    --completion)
      words='bash zsh fish' ;;
    *)
      if [[ $word != -* ]]; then
        compopt -o default
        return
      fi
      words='--ink --page --from --help --version --manual --completion' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _draw draw
)");
}

TEST_F(ProgramTexts, Zsh) {
  EXPECT_THAT(text({"--completion", "zsh"}), testing::StartsWith(R"(#compdef draw
_draw() {
  _arguments -s -S \
    '(-i --ink)-i+[it'\''s \[what\] is seen]:value:(red green)' \
    '(-i --ink)--ink=[it'\''s \[what\] is seen]:value:(red green)' \
    '*--page=['\''only'\'' that]:A\:B: ' \
    '(-f --from)-f+[.txt]:FILE:_files' \
    '(-f --from)--from=[.txt]:FILE:_files' \
    '(-h --help)-h[print this text]' \
)"));
}

TEST_F(ProgramTexts, ZshMayLoadOrSourceTheCompletion) {
  EXPECT_THAT(text({"--completion", "zsh"}), testing::EndsWith(R"(
    '*:file:_files'
}
if [[ $funcstack[1] = _draw ]]; then _draw "$@"; else compdef _draw draw; fi
)"));
}

TEST_F(ProgramTexts, Fish) {
  EXPECT_EQ(text({"--completion", "fish"}),
            R"(complete -c draw -l ink -s i -x -a 'red green' -d 'it'\''s [what] is seen'
complete -c draw -l page -x -d ''\''only'\'' that'
complete -c draw -l from -s f -r -d '.txt'
complete -c draw -l help -s h -d 'print this text'
complete -c draw -l version -s V -d 'print the version'
complete -c draw -l manual -d 'print this text as a page for man(1)'
complete -c draw -l completion -x -a 'bash zsh fish' -d 'print a script that completes the options in this shell'
)");
}

TEST_F(ProgramTexts, OtherShellsAreRefused) {
  EXPECT_THAT([&] { text({"--completion=csh"}); },
              testing::ThrowsMessage<UsageError>("--completion takes one of bash, zsh, fish, not 'csh'"));
}

}  // namespace
}  // namespace fxt::test
