#include "converters/tfile/description/description.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <fmt/format.h>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/description/numbers.h"

namespace convert::tfile {
namespace {

struct ReasonName {
  std::string_view name;
  StopReason reason;
};
constexpr std::array kReasons{
    ReasonName{"tnotrun", StopReason::NotRun},
    ReasonName{"tnorrun", StopReason::NotRun},  // of Enea OSE
    ReasonName{"tstop", StopReason::Command},
    ReasonName{"tfull", StopReason::Full},
    ReasonName{"tdisconnected", StopReason::Disconnected},
    ReasonName{"tpasscount", StopReason::PassCount},
    ReasonName{"terror", StopReason::Error},
    ReasonName{"tunknown", StopReason::Unknown},
};

class FieldReader {
 public:
  FieldReader(TraceStatus& status, std::vector<std::string>& problems)
      : status_(status), problems_(problems) {}

  void read(std::string_view field) {
    std::string_view value = field;
    const std::string_view name = next_field(value, ':');
    if (const auto* found = std::ranges::find(kReasons, name, &ReasonName::name); found != kReasons.end())
      read_reason(found->reason, name, value);
    else if (name == "tframes")
      status_.frames = number(name, value);
    else if (name == "tcreated")
      status_.frames_created = number(name, value);
    else if (name == "tfree")
      status_.buffer_free = number(name, value);
    else if (name == "tsize")
      status_.buffer_size = number(name, value);
    else if (name == "circular")
      status_.circular = number(name, value).value_or(0) != 0;
    else if (name == "disconn")
      status_.disconnected = number(name, value).value_or(0) != 0;
    else if (name == "starttime")
      status_.start_us = time(name, value);
    else if (name == "stoptime")
      status_.stop_us = time(name, value);
    else if (name == "username")
      status_.user = text(name, value);
    else if (name == "notes")
      status_.notes = text(name, value);
    else if (status_.others.size() < kMaxFields)
      status_.others.emplace_back(name, value);
  }

 private:
  static constexpr std::size_t kMaxFields = 1000;  // limit for fields that are unknown or can't be read

  void add_problem(std::string_view name, std::string_view value, std::string_view expected) {
    if (problems_.size() < kMaxFields)
      problems_.push_back(fmt::format("status: {} is '{}', expected {}", name, value, expected));
  }

  // Reads "tstop:<text>:<n>" ("tstop:0" in old files) and "terror:<text>:<tracepoint>". The other reasons
  // have only a number.
  void read_reason(StopReason reason, std::string_view name, std::string_view value) {
    status_.reason = reason;
    const bool has_text = reason == StopReason::Command || reason == StopReason::Error;
    if (has_text && value.find(':') != std::string_view::npos)
      status_.stop_text = text(name, next_field(value, ':'));
    const auto tracepoint = number(name, value);
    if (reason == StopReason::PassCount || reason == StopReason::Error) status_.stop_tracepoint = tracepoint;
  }

  std::optional<std::uint64_t> number(std::string_view name, std::string_view value) {
    const auto read = hex_number(value);
    if (!read) add_problem(name, value, "a hexadecimal number");
    return read;
  }

  std::optional<std::uint64_t> time(std::string_view name, std::string_view value) {
    const auto time_us = number(name, value);
    return time_us == 0 ? std::nullopt : time_us;
  }

  std::string text(std::string_view name, std::string_view value) {
    if (value.ends_with(':')) value.remove_suffix(1);  // gdbserver's packet ends with ":"
    auto read = hex_text(value);
    if (!read) add_problem(name, value, "hexadecimal text");
    return std::move(read).value_or(std::string());
  }

  TraceStatus& status_;
  std::vector<std::string>& problems_;
};

}  // namespace

TraceStatus read_status(std::string_view payload, std::vector<std::string>& problems) {
  TraceStatus status;
  if (payload.starts_with('T')) payload.remove_prefix(1);  // the beginning of the reply to a qTStatus packet
  const std::string_view running = next_field(payload, ';');
  if (running != "0" && running != "1")
    problems.push_back(fmt::format("status: starts with '{}', expected 0 or 1", running));
  status.running = running == "1";
  FieldReader fields(status, problems);
  while (!payload.empty())
    if (const std::string_view field = next_field(payload, ';'); !field.empty()) fields.read(field);
  return status;
}

std::string TraceStatus::describe() const {
  if (running) return "running";
  switch (reason.value_or(StopReason::Unknown)) {
    case StopReason::NotRun:
      return "not run";
    case StopReason::Command:
      return stop_text.empty() ? "stopped by command" : "stopped by command: " + stop_text;
    case StopReason::Full:
      return "buffer full";
    case StopReason::Disconnected:
      return "debugger disconnected";
    case StopReason::PassCount:
      return fmt::format("tracepoint {} reached its pass count", stop_tracepoint.value_or(0));
    case StopReason::Error:
      return fmt::format("error at tracepoint {}: {}", stop_tracepoint.value_or(0), stop_text);
    case StopReason::Unknown:
      break;
  }
  return "unknown";
}

VariableIndex::VariableIndex(const std::vector<TraceVariable>& variables) {
  for (const TraceVariable& variable : variables) {
    by_number_.emplace(variable.number, &variable);
    by_name_.insert(variable.name);
  }
}

std::optional<std::uint64_t> Description::computed_variable(std::string_view name) const {
  const auto found = std::ranges::find_if(variables, [&](const TraceVariable& variable) {
    return variable.is_computed && variable.name == name;
  });
  return found != variables.end() ? std::optional(found->number) : std::nullopt;
}

bool DescriptionReader::read_line(std::string_view line) {
  ++line_number_;
  if (line.ends_with('\r')) line.remove_suffix(1);  // the file was transferred as text
  if (line.empty()) {
    description_.is_complete = true;
    return false;
  }
  description_.text += line;
  description_.text += '\n';

  std::string_view rest = line;
  const std::string_view keyword = next_field(rest, ' ');
  if (keyword == "R") {
    read_register_size(rest);
  } else if (keyword == "tdesc") {
    if (!description_.target_xml.empty()) description_.target_xml += '\n';
    description_.target_xml += rest;
  } else if (keyword == "status") {
    read_status_line(rest);
  } else if (keyword == "tsv") {
    read_variable(rest);
  } else if (keyword == "tp") {
    if (const auto problem = tracepoints_.add_piece(rest)) damaged(*problem);
  } else if (keyword == "relocation") {  // "relocation section 10000000 10020000"
    notes_.add(kOseBlocks, Location::line(path_, line_number_),
               "this line was written by Enea OSE; blocks of kind E are not shown, because the meaning of "
               "their two numbers is unknown");
  } else {
    notes_.add(kUnknownLine, Location::line(path_, line_number_),
               fmt::format("'{}' is not a known kind of line", keyword.substr(0, 40)));
  }
  return true;
}

void DescriptionReader::finish() {
  tracepoints_.finish();
  description_.locations = tracepoints_.take_locations();
  if (memory_.is_exceeded())
    note_over_limit(notes_, Location::file(path_), memory_,
                    "some tracepoints, actions or variables are left out");
  if (!description_.status)
    notes_.add(kNoStatus, Location::file(path_),
               "no status line, so the expected number of frames is unknown");
}

void DescriptionReader::read_register_size(std::string_view digits) {
  description_.register_digits = digits;
  if (const auto size = hex_number(digits))
    description_.register_block_size = *size;
  else
    damaged("the size of the register block is not a hexadecimal number");
}

void DescriptionReader::read_status_line(std::string_view payload) {
  std::vector<std::string> problems;
  description_.status = read_status(payload, problems);
  for (const std::string& problem : problems) damaged(problem);
}

// Reads "<number>:<initial value>:<computed>:<name in hexadecimal>".
void DescriptionReader::read_variable(std::string_view payload) {
  const auto number = hex_number(next_field(payload, ':'));
  const auto initial = hex_number(next_field(payload, ':'));
  const auto computed = hex_number(next_field(payload, ':'));
  auto name = hex_text(next_field(payload, ':'));
  if (!number || !initial || !computed || !name) return damaged("damaged variable");
  constexpr std::uint64_t kVariableBytes = 400;
  if (!memory_.take(kVariableBytes)) return;
  description_.variables.push_back({.number = *number,
                                    .initial = std::bit_cast<std::int64_t>(*initial),
                                    .is_computed = *computed != 0,
                                    .name = std::move(*name)});
}

void DescriptionReader::damaged(std::string_view problem) {
  notes_.add(kDamagedLine, Location::line(path_, line_number_), problem);
}

}  // namespace convert::tfile
