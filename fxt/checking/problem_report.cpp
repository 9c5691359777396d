// Problems by their rules.
#include "fxt/checking/problem_report.h"

#include <string>
#include <utility>
#include <variant>

#include "fxt/header_words.h"

namespace fxt {
namespace {

constexpr std::string_view kDropped =
    "Fuchsia's C++ reader and Perfetto drop the record, others lose the name";
constexpr std::string_view kCppReports = "Fuchsia's C++ reader reports an error";
constexpr std::string_view kRustRejects = "Fuchsia's Rust reader rejects it";
constexpr std::string_view kReserved = "the spec reserves it for later versions";

struct Judgement {
  std::string_view rule, effect;
  Severity severity = Severity::Error;
};

Judgement judge_spare_words(const Record& record) {
  const auto* event = std::get_if<Event>(&record);
  if (event != nullptr && event->type == EventType::Instant)
    return {"W28", "only Fuchsia's C++ reader reads them", Severity::Warning};
  if (std::holds_alternative<Initialization>(record)) return {"W25", kRustRejects};
  if (event != nullptr || std::holds_alternative<Blob>(record))
    return {"W11", "known readers ignore them", Severity::Warning};
  return {"W11", kRustRejects};
}

Judgement judge(const Problem& problem, const Record& record) {
  switch (problem.kind) {
    case ProblemKind::UnknownRecordType:
      return {"W25", kCppReports};
    case ProblemKind::TooShort:
      return {"W11", "readers drop it, read past its end or stop"};
    case ProblemKind::TooLarge:
      return {"W13", kLosesTheRest};
    case ProblemKind::SpareWords:
      return judge_spare_words(record);
    case ProblemKind::ReservedBits:
      if (std::holds_alternative<StringRecord>(record) && (problem.value & StringHeader::Zero1::kMask) != 0)
        return {"W12", "Tracy takes the bit as part of the index"};
      return {"W12", kReserved, Severity::Warning};
    case ProblemKind::Padding:
      return {"W12", kReserved, Severity::Warning};
    case ProblemKind::UnknownString:
      return {"W7", kDropped};
    case ProblemKind::UnknownThread:
      return {"W7", "Fuchsia's C++ reader drops the record, Perfetto files it under thread 0"};
    case ProblemKind::InvalidUtf8:
      return {"W9", kRustRejects};
    case ProblemKind::UnknownArgumentType:
      return {"W25", "Fuchsia's C++ reader reports an error, Tracy misreads what follows"};
    case ProblemKind::ArgumentSpareWords:
      return {"W11", kRustRejects};
    case ProblemKind::StringIndexZero:
    case ProblemKind::ThreadIndexZero:
      return {"W7", kCppReports};
    case ProblemKind::StringReplaced:
    case ProblemKind::ThreadReplaced:
      return {"W6", "Fuchsia's C++ reader keeps the first meaning"};
    case ProblemKind::ProviderAgain:
      return {"W2", "Fuchsia's C++ reader and Perfetto empty its tables, the Rust reader does not"};
    case ProblemKind::UnknownProvider:
      return {"W3", std::holds_alternative<ProviderSection>(record)
                        ? "Perfetto drops what follows, Fuchsia's C++ and Rust readers complain"
                        : "Fuchsia's Rust reader complains"};
    case ProblemKind::TickRateZero:
      return {"W4", "the C++ reader complains, Perfetto drops all events, the Rust reader divides by zero"};
    case ProblemKind::EndBeforeBegin:
      return {"W15", "Perfetto drops it"};
    case ProblemKind::WrongMagic:
      return {"W1", kRustRejects};
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

void report(const Problem& problem, const Entry& entry, const Findings& findings) {
  const auto [rule, effect, severity] = judge(problem, entry.record);
  std::string text = problem.kind == ProblemKind::UnknownRecordType
                         ? unknown_type(problem.value, entry.words[0])
                         : describe(problem);
  if (severity == Severity::Error)
    findings.error(rule, std::move(text), effect);
  else
    findings.warning(rule, std::move(text), effect);
}

}  // namespace fxt
