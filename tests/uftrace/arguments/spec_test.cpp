#include "converters/uftrace/arguments/spec.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convert::uftrace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string place(const SpecLocation& location) {
  switch (location.kind) {
    case SpecLocation::Kind::Index:
      return "";
    case SpecLocation::Kind::Float:
      return " float";
    case SpecLocation::Kind::Register:
      return " %" + location.registers;
    case SpecLocation::Kind::Stack:
      return fmt::format(" stack{:+}", location.number);
  }
  return "?";
}

// Returns name, format and size, such as "arg1 s0". Appends an unusual location, and the name of the type.
std::string line(const SpecItem& item) {
  constexpr std::string_view kLetters = "diuxocfsSpet";
  return fmt::format("{}{} {}{}{}{}",
                     item.is_return() ? "retval"
                     : item.is_float  ? "fparg"
                                      : "arg",
                     item.is_return() ? "" : std::to_string(item.number),
                     kLetters[static_cast<std::size_t>(item.format)], item.size, place(item.location),
                     item.type_name.empty() ? "" : " " + item.type_name);
}

std::vector<std::string> items(std::string_view text, const Machine& machine = {}) {
  SpecProblems problems;
  std::vector<std::string> lines;
  for (const SpecItem& item : parse_spec_items(text, machine, problems)) lines.push_back(line(item));
  for (const std::string& problem : problems) lines.push_back("? " + problem);
  return lines;
}

// Returns lines such as "pattern module: items". If an entry has only a name, "auto" replaces the items.
std::vector<std::string> entries(std::string_view text) {
  SpecProblems problems;
  std::vector<std::string> lines;
  for (const SpecEntry& entry : parse_specs(text, {}, problems)) {
    std::string one = entry.pattern + " " + entry.module + ":";
    if (entry.is_auto) one += " auto";
    for (const SpecItem& item : entry.items) one += " " + line(item) + ";";
    lines.push_back(one);
  }
  for (const std::string& problem : problems) lines.push_back("? " + problem);
  return lines;
}

TEST(Spec, FormatsHaveTheirSizes) {
  EXPECT_THAT(
      items("arg1,arg2/d,arg3/i,arg4/u,arg5/x,arg6/o,arg7/p,retval"),
      ElementsAre("arg1 d8", "arg2 d8", "arg3 i8", "arg4 u8", "arg5 x8", "arg6 o8", "arg7 p8", "retval d8"));
  EXPECT_THAT(
      items("arg1/c,arg2/s,arg3/S,fparg1,arg4/f,retval/f"),
      ElementsAre("arg1 c1", "arg2 s0", "arg3 S0", "fparg1 f8 float", "arg4 f8 float", "retval f8 float"));
  EXPECT_THAT(items("arg1/i8,arg2/u16,arg3/x32,arg4/d64,fparg1/32,fparg2/64,fparg3/80,retval/f80"),
              ElementsAre("arg1 i1", "arg2 u2", "arg3 x4", "arg4 d8", "fparg1 f4 float", "fparg2 f8 float",
                          "fparg3 f10 float", "retval f10 float"));
}

TEST(Spec, BitsNeedNoFormat) { EXPECT_THAT(items("arg1/32"), ElementsAre("arg1 d4")); }

TEST(Spec, ATextHasItsOwnSize) { EXPECT_THAT(items("arg1/s64"), ElementsAre("arg1 s0")); }

TEST(Spec, SizesDependOnTheMachine) {
  EXPECT_THAT(items("arg1,arg2/p,arg3/x64,arg4/e:color,fparg1/80", {.word_size = 4}),
              ElementsAre("arg1 d4", "arg2 p4", "arg3 x8", "arg4 e4 color", "fparg1 f10 float"));
  EXPECT_THAT(items("retval/f80", {.word_size = 4, .has_long_doubles = false}),
              ElementsAre("retval f8 float"));
}

TEST(Spec, TypesHaveNames) {
  EXPECT_THAT(
      items("arg1/e:color,arg2/t16:timeval,arg3/t0:empty,arg4/t16,arg5/t8:pair%rdi"),
      ElementsAre("arg1 e8 color", "arg2 t16 timeval", "arg3 t0 empty", "arg4 t16", "arg5 t8 %rdi pair"));
}

TEST(Spec, ValuesMayHaveALocation) {
  EXPECT_THAT(items("@arg1/p%RDI,arg2%rsi+rdx,fparg1/80%stack+1,arg3/e:color%stack1,fparg2/64%xmm0"),
              ElementsAre("arg1 p8 %rdi", "arg2 d8 %rsi+rdx", "fparg1 f10 stack+1", "arg3 e8 stack+1 color",
                          "fparg2 f8 %xmm0"));
}

// uftrace also ignores the text after a location on the stack.
TEST(Spec, NothingFollowsALocationOnTheStack) {
  EXPECT_THAT(items("arg7%stack1/i32,arg8%stack+2x"), ElementsAre("arg7 d8 stack+1", "arg8 d8 stack+2"));
}

TEST(Spec, WordsMayHaveAnyCase) {
  EXPECT_THAT(items("ARG1/x,FPArg2,RetVal/s"), ElementsAre("arg1 x8", "fparg2 f8 float", "retval s0"));
}

TEST(Spec, InvalidValuesAreReported) {
  EXPECT_THAT(items("arg0,fparg0,arg1/,arg2/q,arg3/i7,arg4/i80,arg5%,arg6%stack,arg7/t,arg8/t99999,arg9/e,"
                    "fparg1/16,arg1/i32x,retval2,arg99999"),
              ElementsAre("? arg0", "? fparg0", "? arg1/", "? arg2/q", "? arg3/i7", "? arg4/i80", "? arg5%",
                          "? arg6%stack", "? arg7/t", "? arg8/t99999", "? arg9/e", "? fparg1/16",
                          "? arg1/i32x", "? retval2", "? arg99999"));
}

TEST(Spec, AListHasEntriesWithPatternsAndItems) {
  EXPECT_THAT(
      entries("main@arg1;^std::;mid@arg1/s,libfoo.so;malloc@PLT,arg1"),
      ElementsAre("main : arg1 d8;", "^std:: : auto", "mid libfoo.so: arg1 s0;", "malloc PLT: arg1 d8;"));
}

TEST(Spec, WordsOfTriggersAreNotModules) {
  EXPECT_THAT(entries("f@filter,depth=2,time=1us,read=page-fault,trace_off,color=red,arg2,if:x;g@auto-args"),
              ElementsAre("f : arg2 d8;", "g : auto"));
}

TEST(Spec, EmptyPartsAreIgnored) {
  EXPECT_THAT(entries(""), IsEmpty());
  EXPECT_THAT(entries(";;a;"), ElementsAre("a : auto"));
  EXPECT_THAT(entries("a@;b@,,arg1,"), ElementsAre("a : auto", "b : arg1 d8;"));
  EXPECT_THAT(items("@"), IsEmpty());
}

// An entry with only a function's name means automatic arguments. If all values of an entry are damaged, it
// must not become such an entry.
TEST(Spec, AnEntryOfDamagedValuesIsNotAutomatic) {
  EXPECT_THAT(entries("a@arg0"), ElementsAre("a :", "? arg0"));
}

TEST(Spec, EveryPrefixIsAccepted) {
  const std::string text = "a@arg1/i32%rdi,arg2/t16:x%stack+1,fparg1/80;b@retval/e:color,libc.so";
  for (std::size_t size = 0; size <= text.size(); ++size) entries(text.substr(0, size));
}

}  // namespace
}  // namespace convert::uftrace
