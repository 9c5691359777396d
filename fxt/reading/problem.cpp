// Problems in words.
#include "fxt/problem.h"

namespace fxt {
namespace {

std::string words_of(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " word" : " words");
}

}  // namespace

std::string describe(const Problem& problem) {
  const std::string value = std::to_string(problem.value);
  const std::string at = " at word " + std::to_string(problem.word);
  switch (problem.kind) {
    case ProblemKind::UnknownRecordType:
      return "unknown type or subtype " + value;
    case ProblemKind::TooShort:
      return "record ends before its content" + at;
    case ProblemKind::TooLarge:
      return "record of " + value + " words is larger than the reader's limit";
    case ProblemKind::SpareWords:
      return words_of(problem.value) + " after the record's content";
    case ProblemKind::ReservedBits:
      return "reserved bits are not zero" + at;
    case ProblemKind::Padding:
      return "padding is not zero" + at;
    case ProblemKind::UnknownString:
      return "string " + value + " was never registered";
    case ProblemKind::UnknownThread:
      return "thread " + value + " was never registered";
    case ProblemKind::InvalidUtf8:
      return "string is not UTF-8" + at;
    case ProblemKind::UnknownArgumentType:
      return "argument of unknown type " + value + at;
    case ProblemKind::ArgumentSpareWords:
      return words_of(problem.value) + " after the argument's content" + at;
    case ProblemKind::StringIndexZero:
      return "string registered as number 0, which is the empty string";
    case ProblemKind::ThreadIndexZero:
      return "thread registered as number 0, which says inline";
    case ProblemKind::StringReplaced:
      return "string " + value + " gets another meaning";
    case ProblemKind::ThreadReplaced:
      return "thread " + value + " gets another meaning";
    case ProblemKind::ProviderAgain:
      return "provider " + value + " is announced again";
    case ProblemKind::UnknownProvider:
      return "provider " + value + " was never announced";
    case ProblemKind::TickRateZero:
      return "zero ticks per second";
    case ProblemKind::EndBeforeBegin:
      return "duration ends before it begins";
    case ProblemKind::WrongMagic:
      return "magic number is " + value + ", not 374634566";
  }
  return "unknown problem";
}

}  // namespace fxt
