// --inspect: target, tracepoints with disassembled actions, variables, frames, threads, times and damage.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "converters/model/notes.h"
#include "converters/tfile/actions/bytecode.h"
#include "converters/tfile/actions/replay.h"
#include "converters/tfile/events/trace_source.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/importer.h"
#include "converters/tfile/program/program_check.h"
#include "converters/tfile/program/value.h"
#include "converters/tfile/threads/survey.h"
#include "converters/tfile/trace_notes.h"

namespace convert::tfile {
namespace {

std::string hex(std::uint64_t number) { return fmt::format("{:#x}", number); }

template <typename T>
void add_known(Outline& outline, const char* name, const std::optional<T>& value) {
  if (value) outline[name] = *value;
}

Outline target_of(const TraceFile& trace) {
  Outline target;
  target["architecture"] = trace.architecture.empty() ? "unknown" : trace.architecture;
  if (!trace.os_abi.empty()) target["os"] = trace.os_abi;
  target["byte order"] = trace.format.order == std::endian::little ? "little" : "big";
  target["register block bytes"] = trace.format.register_block_size;
  target["registers"] = trace.layout ? trace.layout->registers().size() : 0;
  if (trace.layout_is_guessed) target["registers are guessed"] = true;
  return target;
}

Outline status_of(const TraceStatus& status) {
  Outline outline;
  outline["state"] = status.describe();
  add_known(outline, "frames", status.frames);
  add_known(outline, "frames created", status.frames_created);
  add_known(outline, "buffer bytes", status.buffer_size);
  add_known(outline, "buffer bytes free", status.buffer_free);
  outline["circular"] = status.circular;
  add_known(outline, "start us", status.start_us);
  add_known(outline, "stop us", status.stop_us);
  if (!status.user.empty()) outline["user"] = status.user;
  if (!status.notes.empty()) outline["notes"] = status.notes;
  for (const auto& [name, value] : status.others) outline[name] = value;
  return outline;
}

std::string text_of(const TracepointAction& action) {
  switch (action.kind) {
    case TracepointAction::Kind::Registers:
      return "registers, mask " + action.mask;
    case TracepointAction::Kind::StaticData:
      return "static trace data";
    case TracepointAction::Kind::Memory:
      if (action.base < 0)
        return fmt::format("memory {:#x}, {} bytes", static_cast<std::uint64_t>(action.offset),
                           action.length);
      return fmt::format("memory at register {} {:+}, {} bytes", action.base, action.offset, action.length);
    case TracepointAction::Kind::Expression:
      break;
  }
  return "expression " + disassemble(action.code);
}

Outline actions_of(const std::vector<TracepointAction>& actions) {
  Outline list = Outline::array();
  for (const TracepointAction& action : actions) list.push_back(text_of(action));
  return list;
}

// Returns the type, as in "count: int", or the reason why an item has no type or value at this place.
std::string text_of(std::string_view item, const Value& value) {
  if (value.type == nullptr) return fmt::format("{}: the name is unknown at this code address", item);
  std::string text = fmt::format("{}: {}", item, name_of(value.type));
  if (value.bit_size != 0) text += fmt::format(", {} bits", value.bit_size);
  if (value.storage.kind == Storage::Kind::None && value.storage.missing != Missing::NotRecorded)
    text += fmt::format(", but {}", problem_of(value.storage.missing));
  return text;
}

Outline types_of(const TracepointLocation& location, const TraceRecording& recording, fxt::Budget& work) {
  const ExpectedFrames* const expected =
      recording.locations.location_at(static_cast<std::int16_t>(location.number), location.address);
  FrameMemory nothing(recording.trace.register_layout(), recording.trace.format.order);
  const Frame frame;
  nothing.start(frame, false);
  nothing.set_work(work);
  const CodeScope* const scope = recording.symbols->scope_at(location.address);
  using Kind = CollectItem::Kind;
  Outline list = Outline::array();
  if (expected == nullptr || expected->location != &location)
    return list;  // the location's number is too large for the 16 bits that a frame has for it
  const auto add = [&](const CollectItem& item, const std::string& step) {
    if (item.kind == Kind::Evaluate || item.kind == Kind::Variable) return;
    const bool is_described =
        scope != nullptr &&
        (!scope->has_types_only ||
         evaluate(item.text, {*scope, nothing, recording.trace.description.variables}).type != nullptr);
    if (!is_described) {
      list.push_back(
          fmt::format("{}{}: the program does not describe the code at this address", step, item.text));
      return;
    }
    const EvaluationContext context{*scope, nothing, recording.trace.description.variables};
    const auto values = evaluate_item(item, context);
    for (const auto& [text, value, is_hidden] : values)
      list.push_back(step + text_of(text, value) +
                     (is_hidden ? ", hidden by another variable of the same name" : ""));
    if (!values.empty()) return;
    const Value other = evaluate(item.text, context);  // for example a register
    if (other.type != nullptr)
      list.push_back(step + text_of(item.text, other));
    else
      list.push_back(step + item.text +
                     (item.kind == Kind::Variables ? ": none" : ": the program has no such value"));
  };
  for (const CollectItem& item : expected->hit.items) add(item, "");
  for (const CollectItem& item : expected->step.items) add(item, "while stepping, ");
  return list;
}

Outline tracepoint_of(const TracepointLocation& location, const TraceRecording& recording,
                      fxt::Budget& work) {
  const TraceSurvey& survey = recording.survey;
  Outline outline;
  outline["tracepoint"] = location.number;
  outline["address"] = hex(location.address);
  if (!location.at.empty()) outline["at"] = location.at;
  if (recording.symbols) {
    const CodeInfo code = recording.symbols->code_at(location.address);
    const std::string meant = function_meant(location.at, code);
    if (!code.function.empty()) outline["function"] = meant.empty() ? code.function : meant;
    if (!code.source.empty()) outline["source"] = code.source;
  }
  outline["kind"] = location.is_fast ? "fast" : location.is_static ? "static" : "trap";
  if (location.defined) outline["enabled"] = location.enabled;
  if (location.step_count > 0) outline["steps"] = location.step_count;
  if (location.pass_count > 0) outline["pass count"] = location.pass_count;
  if (!location.condition_text.empty()) outline["condition"] = location.condition_text;
  if (!location.condition.empty()) outline["condition bytecode"] = disassemble(location.condition);
  if (!location.commands.empty()) outline["commands"] = location.commands;
  if (!location.hit_actions.empty()) outline["actions"] = actions_of(location.hit_actions);
  if (!location.step_actions.empty()) outline["step actions"] = actions_of(location.step_actions);
  add_known(outline, "hits while recording", location.hits);
  if (recording.symbols) outline["items"] = types_of(location, recording, work);
  const auto hits = survey.hits_of.find(&location);
  outline["hits in this file"] = hits != survey.hits_of.end() ? hits->second : 0;
  return outline;
}

Outline frames_of(const TraceSurvey& survey) {
  Outline outline;
  outline["frames"] = survey.time.frames;
  outline["hits"] = survey.hits;
  outline["steps"] = survey.steps;
  if (survey.partial_frames > 0) outline["partly readable"] = survey.partial_frames;
  outline["memory blocks"] = survey.memory_blocks;
  outline["memory bytes"] = survey.memory_bytes;
  outline["variable values"] = survey.variable_values;
  Outline by_tracepoint = Outline::object();
  // All numbers differ, so the names are added without a search for equal names.
  auto& of_tracepoints = by_tracepoint.get_ref<Outline::object_t&>();
  for (const auto& [number, count] : survey.frames_of)
    of_tracepoints.push_back({fmt::format("tracepoint {}", number), count});
  outline["frames by tracepoint"] = std::move(by_tracepoint);
  return outline;
}

Outline time_of(const TimeSurvey& time) {
  Outline outline;
  outline["clock"] = name_of(time.base);
  outline["frames with a time stamp"] = time.stamped;
  if (time.reversed > 0) outline["stamps going back"] = time.reversed;
  if (time.stamped == 0) return outline;
  outline["first ns"] = time.first_ns;
  outline["last ns"] = time.last_ns;
  return outline;
}

Outline threads_of(const TraceSurvey& survey) {
  const std::vector<std::uint64_t> frames = survey.frames_shown();
  const std::vector<std::string> names = names_of(survey.tracks, survey.shown_track);
  Outline list = Outline::array();
  for (std::size_t i = 0; i < survey.tracks.size(); ++i) {
    if (frames[i] == 0) continue;
    list.push_back({{"thread", names[i]}, {"frames", frames[i]}});
  }
  return list;
}

Outline damage_of(const TraceSurvey& survey) {
  Outline list = Outline::array();
  for (const Damage& damage : survey.damage)
    list.push_back({{"problem", damage.problem}, {"begin", hex(damage.begin)}, {"end", hex(damage.end)}});
  if (const TraceSurvey::Rest& rest = survey.rest; rest.size > 0)
    list.push_back(
        {{"problem", text_of(rest)}, {"begin", hex(rest.begin)}, {"end", hex(rest.begin + rest.size)}});
  return list;
}

}  // namespace

Outline inspect(const std::filesystem::path& input, Notes& notes, const TraceFileOptions& options) {
  Names names;
  const auto recording = read_recording(input, options, Demangle::Simple, names, notes);
  const TraceFile& trace = recording->trace;
  const TraceSurvey& survey = recording->survey;
  add_survey_notes(trace, recording->locations, survey, notes);

  Outline outline;
  outline["input"] = trace.path;
  outline["kind"] = "GDB trace file";
  outline["target"] = target_of(trace);
  if (trace.description.status) outline["status"] = status_of(*trace.description.status);
  Outline variables = Outline::array();
  for (const TraceVariable& variable : trace.description.variables)
    variables.push_back({{"name", "$" + variable.name},
                         {"number", variable.number},
                         {"initial", variable.initial},
                         {"computed", variable.is_computed}});
  outline["variables"] = std::move(variables);
  Outline tracepoints = Outline::array();
  fxt::Budget work(kFrameWork, trace.file->size());
  for (const TracepointLocation& location : trace.description.locations)
    tracepoints.push_back(tracepoint_of(location, *recording, work));
  if (work.is_exceeded())
    note_over_limit(notes, Location::file(trace.path), work, "the types of some items are unknown");
  if (recording->symbols != nullptr) recording->symbols->add_notes(notes);
  outline["tracepoints"] = std::move(tracepoints);
  outline["frames"] = frames_of(survey);
  outline["time"] = time_of(survey.time);
  outline["threads"] = threads_of(survey);
  outline["damage"] = damage_of(survey);
  return outline;
}

}  // namespace convert::tfile
