// Problems by their rules.
#include "fxt/checking/problem_report.h"

#include <string>
#include <utility>
#include <variant>

#include "fxt/header_words.h"

namespace fxt {
namespace {

Fault fault_of_spare_words(const Record& record) {
  const auto* event = std::get_if<Event>(&record);
  if (event != nullptr && event->type == EventType::Instant) return Fault::InstantWord;
  if (std::holds_alternative<Initialization>(record)) return Fault::SpareInitialization;
  return event != nullptr || std::holds_alternative<Blob>(record) ? Fault::SpareWordsIgnored
                                                                  : Fault::SpareWords;
}

Fault fault_of(const Problem& problem, const Record& record) {
  switch (problem.kind) {
    case ProblemKind::UnknownRecordType:
      return Fault::UnknownRecord;
    case ProblemKind::TooShort:
      return Fault::TooShort;
    case ProblemKind::TooLarge:
      return Fault::SkippedRecord;
    case ProblemKind::SpareWords:
      return fault_of_spare_words(record);
    case ProblemKind::ReservedBits:
      return std::holds_alternative<StringRecord>(record) && (problem.value & StringHeader::Zero1::kMask) != 0
                 ? Fault::IndexBit
                 : Fault::ReservedBits;
    case ProblemKind::Padding:
      return Fault::ReservedBits;
    case ProblemKind::UnknownString:
      return Fault::UnknownString;
    case ProblemKind::UnknownThread:
      return Fault::UnknownThread;
    case ProblemKind::InvalidUtf8:
      return Fault::InvalidUtf8;
    case ProblemKind::UnknownArgumentType:
      return Fault::UnknownArgument;
    case ProblemKind::ArgumentSpareWords:
      return Fault::SpareWords;
    case ProblemKind::StringIndexZero:
    case ProblemKind::ThreadIndexZero:
      return Fault::IndexZero;
    case ProblemKind::StringReplaced:
    case ProblemKind::ThreadReplaced:
      return Fault::IndexReplaced;
    case ProblemKind::ProviderAgain:
      return Fault::ProviderAgain;
    case ProblemKind::UnknownProvider:
      return std::holds_alternative<ProviderSection>(record) ? Fault::UnknownSection
                                                             : Fault::UnknownProviderEvent;
    case ProblemKind::TickRateZero:
      return Fault::TickRateZero;
    case ProblemKind::EndBeforeBegin:
      return Fault::EndBeforeBegin;
    case ProblemKind::WrongMagic:
      return Fault::NoMagic;
  }
  return {};
}

std::string unknown_type(std::uint64_t type, std::uint64_t header) {
  const auto of = [&](std::string_view what) {
    return std::string(what).append(" of unknown type ").append(std::to_string(type));
  };
  switch (static_cast<RecordType>(RecordHeader::Type::get(header))) {
    case RecordType::Metadata:
      return of("metadata");
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

void report(const Problem& problem, const Entry& entry, Findings& findings) {
  findings.fault(fault_of(problem, entry.record), problem.kind == ProblemKind::UnknownRecordType
                                                      ? unknown_type(problem.value, entry.words[0])
                                                      : describe(problem));
}

}  // namespace fxt
