#include "converters/tfile/description/status.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "converters/tfile/description/hex.h"

namespace convert::tfile {
namespace {

struct ReasonName {
  std::string_view name;
  StopReason reason;
};
constexpr std::array kReasons{
    ReasonName{"tnotrun", StopReason::NotRun},       ReasonName{"tstop", StopReason::Command},
    ReasonName{"tfull", StopReason::Full},           ReasonName{"tdisconnected", StopReason::Disconnected},
    ReasonName{"tpasscount", StopReason::PassCount}, ReasonName{"terror", StopReason::Error},
    ReasonName{"tunknown", StopReason::Unknown},
};

class FieldReader {
 public:
  FieldReader(Status& status, std::vector<std::string>& problems) : status_(status), problems_(problems) {}

  void read(std::string_view field) {
    std::string_view value = field;
    const std::string_view name = take_field(value, ':');
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
    else
      status_.others.emplace_back(name, value);
  }

 private:
  // "tstop:<text>:<n>", old "tstop:0"; "terror:<text>:<tracepoint>"; the others have one number.
  void read_reason(StopReason reason, std::string_view name, std::string_view value) {
    status_.reason = reason;
    const bool has_text = reason == StopReason::Command || reason == StopReason::Error;
    if (has_text && value.find(':') != std::string_view::npos)
      status_.stop_text = text(name, take_field(value, ':'));
    const auto tracepoint = number(name, value);
    if (reason == StopReason::PassCount || reason == StopReason::Error) status_.stop_tracepoint = tracepoint;
  }

  std::optional<std::uint64_t> number(std::string_view name, std::string_view value) {
    const auto read = hex_number(value);
    if (!read) problems_.push_back(fmt::format("status: {} is '{}', not a hexadecimal number", name, value));
    return read;
  }

  std::optional<std::uint64_t> time(std::string_view name, std::string_view value) {
    const auto time_us = number(name, value);
    return time_us == 0 ? std::nullopt : time_us;
  }

  std::string text(std::string_view name, std::string_view value) {
    if (value.ends_with(':')) value.remove_suffix(1);  // as gdbserver ends its packet
    auto read = hex_text(value);
    if (!read) problems_.push_back(fmt::format("status: {} is '{}', not hexadecimal text", name, value));
    return std::move(read).value_or(std::string());
  }

  Status& status_;
  std::vector<std::string>& problems_;
};

}  // namespace

std::string_view name_of(StopReason reason) {
  return std::ranges::find(kReasons, reason, &ReasonName::reason)->name;
}

Status read_status(std::string_view payload, std::vector<std::string>& problems) {
  Status status;
  if (payload.starts_with('T')) payload.remove_prefix(1);  // as in the remote packet
  const std::string_view running = take_field(payload, ';');
  if (running != "0" && running != "1")
    problems.push_back(fmt::format("status: begins with '{}', expected 0 or 1", running));
  status.running = running == "1";
  FieldReader fields(status, problems);
  while (!payload.empty())
    if (const std::string_view field = take_field(payload, ';'); !field.empty()) fields.read(field);
  return status;
}

std::string Status::describe() const {
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
      return fmt::format("pass count of tracepoint {} reached", stop_tracepoint.value_or(0));
    case StopReason::Error:
      return fmt::format("error at tracepoint {}: {}", stop_tracepoint.value_or(0), stop_text);
    case StopReason::Unknown:
      break;
  }
  return "unknown";
}

}  // namespace convert::tfile
