// The texts and the rules for the problems that the Reader reports.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "fxt/checking/findings.h"
#include "fxt/header_words.h"
#include "fxt/reader.h"

namespace fxt {
namespace {

Fault fault_of_spare_words(const Record& record) {
  const auto* event = std::get_if<Event>(&record);
  if (std::holds_alternative<Initialization>(record)) return Fault::SpareInitialization;
  return event != nullptr || std::holds_alternative<Blob>(record) ? Fault::SpareWordsIgnored
                                                                  : Fault::SpareWords;
}

// The text of each problem, and its usual fault. In a text, # stands for the value, % for a space and "word"
// or "words", and @ for the place in the record.
struct KnownProblem {
  ProblemKind kind;
  std::string_view text;
  Fault fault;
};
constexpr std::array<KnownProblem, 20> kProblems{{
    {ProblemKind::UnknownRecordType, "unknown type or subtype #", Fault::UnknownRecord},
    {ProblemKind::TooShort, "record ends before its content@", Fault::TooShort},
    {ProblemKind::TooLarge, "record of # words is larger than the reader's limit", Fault::SkippedRecord},
    {ProblemKind::SpareWords, "#% after the record's content", Fault::SpareWords},
    {ProblemKind::ReservedBits, "reserved bits are not zero@", Fault::ReservedBits},
    {ProblemKind::Padding, "padding is not zero@", Fault::ReservedBits},
    {ProblemKind::UnknownString, "string # was never registered", Fault::UnknownString},
    {ProblemKind::UnknownThread, "thread # was never registered", Fault::UnknownThread},
    {ProblemKind::InvalidUtf8, "string is not UTF-8@", Fault::InvalidUtf8},
    {ProblemKind::UnknownArgumentType, "argument of unknown type #@", Fault::UnknownArgument},
    {ProblemKind::ArgumentSpareWords, "#% after the argument's content@", Fault::SpareWords},
    {ProblemKind::StringIndexZero, "string registered as number 0, which means the empty string",
     Fault::IndexZero},
    {ProblemKind::ThreadIndexZero, "thread registered as number 0, which means an inline thread",
     Fault::IndexZero},
    {ProblemKind::StringReplaced, "string # gets another meaning", Fault::IndexReplaced},
    {ProblemKind::ThreadReplaced, "thread # gets another meaning", Fault::IndexReplaced},
    {ProblemKind::ProviderAgain, "provider # is announced again", Fault::ProviderAgain},
    {ProblemKind::UnknownProvider, "provider # was never announced", Fault::UnknownProviderEvent},
    {ProblemKind::TickRateZero, "zero ticks per second", Fault::TickRateZero},
    {ProblemKind::EndBeforeBegin, "duration ends before it starts", Fault::EndBeforeBegin},
    {ProblemKind::WrongMagic, "magic number is #, not 374634566", Fault::NoMagic},
}};
constexpr bool are_in_order() {
  std::size_t kind = 0;
  for (const KnownProblem& known : kProblems)
    if (known.kind != static_cast<ProblemKind>(kind++)) return false;
  return true;
}
static_assert(are_in_order());

const KnownProblem& entry_of(const Problem& problem) {
  return kProblems.at(static_cast<std::size_t>(problem.kind));
}

Fault fault_of(const Problem& problem, const Record& record) {
  if (problem.kind == ProblemKind::SpareWords) return fault_of_spare_words(record);
  if (problem.kind == ProblemKind::ReservedBits && std::holds_alternative<StringRecord>(record) &&
      (problem.value & StringHeader::Zero1::kMask) != 0)
    return Fault::IndexBit;
  if (problem.kind == ProblemKind::UnknownProvider && std::holds_alternative<ProviderSection>(record))
    return Fault::UnknownSection;
  return entry_of(problem).fault;
}

std::string unknown_type(std::uint64_t type, std::uint64_t header) {
  const auto of = [&](std::string_view what) {
    return std::string(what).append(" of unknown type ").append(std::to_string(type));
  };
  switch (static_cast<RecordType>(RecordHeader::Type::get(header))) {
    case RecordType::Metadata:
      return of(MetadataHeader::MetadataType::get(header) == code(MetadataType::ProviderEvent)
                    ? "provider event"
                    : "metadata");
    case RecordType::Event:
      return of("event");
    case RecordType::Scheduling:
      return of("scheduling record");
    case RecordType::Profiler:
      return of("profiler record");
    case RecordType::Large:
      return of("large record");
    default:
      return of("record");
  }
}

}  // namespace

std::string describe(const Problem& problem) {
  std::string text;
  for (const char c : entry_of(problem).text) {
    if (c == '#')
      text += std::to_string(problem.value);
    else if (c == '%')
      text += problem.value == 1 ? " word" : " words";
    else if (c == '@')
      text += " at word " + std::to_string(problem.word);
    else
      text += c;
  }
  return text;
}

void report(const Problem& problem, const Entry& entry, Findings& findings) {
  findings.add(fault_of(problem, entry.record), problem.kind == ProblemKind::UnknownRecordType
                                                    ? unknown_type(problem.value, entry.words[0])
                                                    : describe(problem));
}

}  // namespace fxt
