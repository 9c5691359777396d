#include "converters/tfile/import.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/events/trace_source.h"
#include "converters/tfile/events/trace_status.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/kernel_symbols.h"
#include "converters/tfile/program/load_bias.h"
#include "converters/tfile/program/program.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {
namespace {

std::string process_name(const std::filesystem::path& input, const Options& options) {
  return (options.program.empty() ? input : options.program).filename().string();
}

// The program, placed where it was loaded; nothing, and a note, when that can't be found out.
std::unique_ptr<Symbols> place_program(std::unique_ptr<Program> program, const Description& description,
                                       const Options& options, Notes& notes) {
  const auto bias = options.load_bias ? options.load_bias : find_load_bias(description, *program);
  if (bias) program->set_load_bias(*bias);
  if (!may_be_traced(description, *program, bias)) {
    notes.add(
        kWrongProgram, Location::file(options.program.string()),
        "no tracepoint lies where this program has its function or line: another program, or another build");
    return nullptr;
  }
  if (!bias) {
    notes.add(kLoadBias, Location::file(options.program.string()),
              "no tracepoint tells where the program was loaded: use --load-bias");
    return nullptr;
  }
  return program;
}

// The symbols of a kernel; nothing, and a note, when their addresses are hidden.
std::unique_ptr<Symbols> kernel_symbols(const std::filesystem::path& path, Notes& notes) {
  auto symbols = std::make_unique<KernelSymbols>(path);
  if (!symbols->are_hidden()) return symbols;
  notes.add(kNoSymbols, Location::file(path.string()),
            "all addresses are 0: the kernel hides them (kptr_restrict); only root can save the list");
  return nullptr;
}

// Items of which only the size is known, so that their numbers may be other ones than the program's.
void note_untyped(const TraceFile& trace, const LocationTable& locations, bool has_program, Notes& notes) {
  std::uint64_t count = 0;
  const auto count_in = [&](const ActionPlan& plan) {
    for (const PlannedAction& action : plan.actions) {
      if (action.is_expression ? !action.layout : action.parts.empty()) ++count;
      for (const PlannedPart& part : action.parts)
        if (!part.layout) ++count;
    }
  };
  for (const LocationTable::Entry& entry : locations.all()) {
    count_in(entry.plan.hit);
    count_in(entry.plan.step);
  }
  if (count == 0) return;
  notes.add(kUntypedValues, Location::file(trace.path),
            has_program ? "the program does not describe them: numbers are shown by their size"
                        : "numbers are shown by their size: --program gives types, members and names",
            count);
}

void note_optimized_out(const TraceFile& trace, const LocationTable& locations, Notes& notes) {
  std::uint64_t count = 0;
  for (const LocationTable::Entry& entry : locations.all())
    count += entry.plan.hit.optimized_out + entry.plan.step.optimized_out;
  if (count > 0)
    notes.add(kOptimizedOut, Location::file(trace.path),
              "the compiler keeps them nowhere there: build with -Og or less to see them", count);
}

// Registers that were recorded and are not shown, unless the user chose so.
void note_registers(const TraceFile& trace, const LocationTable& locations, const Options& options,
                    Notes& notes) {
  if (options.registers != Registers::Auto || !trace.layout) return;
  const auto is_left_out = [&](const ActionPlan& plan) {
    if (plan.shape.find('R') == std::string::npos) return false;
    return std::ranges::any_of(trace.layout->registers(), [&](const Register& reg) {
      if (reg.offset + reg.size > trace.description.register_block_size) return false;  // not recorded
      const bool is_named = std::ranges::find(plan.wanted.named, &reg) != plan.wanted.named.end();
      return !is_named && !(plan.wanted.all && reg.is_general);
    });
  };
  const auto count = std::ranges::count_if(locations.all(), [&](const LocationTable::Entry& entry) {
    return is_left_out(entry.plan.hit) || is_left_out(entry.plan.step);
  });
  if (count > 0)
    notes.add(kRegistersLeftOut, Location::file(trace.path),
              "shown are those that actions name, and the general ones of $regs: --registers general or all",
              static_cast<std::uint64_t>(count));
}

// What `tsave -ctf` makes.
bool is_ctf(const std::filesystem::path& input) {
  constexpr std::string_view kBegin = "/* CTF ";
  std::error_code error;
  if (!std::filesystem::is_regular_file(input / "datastream", error)) return false;
  std::string head(kBegin.size(), '\0');
  std::ifstream metadata(input / "metadata", std::ios::binary);
  metadata.read(head.data(), static_cast<std::streamsize>(head.size()));
  return metadata && head == kBegin;
}

bool is_wanted(const Track& track, const ImportOptions& options) {
  return options.tids.empty() || track.clue != ThreadClue::Pid ||
         std::ranges::count(options.tids, track.value) != 0;
}

// A lane for each track that is shown, in order of appearance; by track. Lanes that the user does not want
// are null. Nothing in the file tells process and thread ids (but KGTP's pids).
std::vector<Lane*> add_lanes(const Recording& recording, const std::string& process, ImportContext& context,
                             std::vector<Lane*>& all) {
  const Survey& survey = recording.survey;
  const RegisterLayout* layout = recording.trace.layout ? &*recording.trace.layout : nullptr;
  std::vector<std::uint64_t> frames(survey.tracks.size());
  for (std::size_t i = 0; i < survey.tracks.size(); ++i)
    frames[survey.shown_track[i]] += survey.tracks[i].frames;

  std::vector<Lane*> lanes(survey.tracks.size());
  const auto add = [&](const Track& track, std::uint64_t weight, std::string name) -> Lane* {
    const bool has_pid = track.clue == ThreadClue::Pid && track.value > 0 && track.value < kFirstMadeUpId;
    const std::uint64_t thread = has_pid ? track.value : kFirstMadeUpId + 1 + all.size();
    Lane& lane = context.timeline.add_lane({.process = static_cast<ProcessId>(kFirstMadeUpId),
                                            .thread = static_cast<ThreadId>(thread),
                                            .process_name = process,
                                            .thread_name = std::move(name),
                                            .weight = weight});
    all.push_back(&lane);
    return &lane;
  };
  for (std::size_t i = 0; i < survey.tracks.size(); ++i)
    if (survey.shown_track[i] == i && is_wanted(survey.tracks[i], context.options))
      lanes[i] = add(survey.tracks[i], frames[i], name_of(survey.tracks[i], layout));
  for (std::size_t i = 0; i < survey.tracks.size(); ++i) lanes[i] = lanes[survey.shown_track[i]];
  if (all.empty()) add(Track{.clue = ThreadClue::Tracepoint}, 0, "no frames");
  return lanes;
}

// Each track that is shown may be a thread that another input has recorded, too. `lanes` by track.
void add_guests(const Recording& recording, const std::vector<Lane*>& lanes, Timeline& timeline) {
  const Survey& survey = recording.survey;
  const RegisterLayout* layout = recording.trace.layout ? &*recording.trace.layout : nullptr;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (survey.shown_track[i] != i || lanes[i] == nullptr) continue;
    const Track& track = survey.tracks[i];
    UnmatchedThread guest{.lane = lanes[i],
                          .name = name_of(track, layout),
                          .marks = survey.marks[i],
                          .resolution_ns = resolution_ns(survey.time.base),
                          .is_thread = track.clue == ThreadClue::ThreadPointer ||
                                       track.clue == ThreadClue::Pid || track.clue == ThreadClue::Task};
    if (survey.time.stamped == 0)
      guest.why_unmatched = "its frames have no time stamps (collect $trace_timestamp)";
    else if (guest.marks.empty() && i >= Survey::kMarkedTracks)
      guest.why_unmatched = fmt::format("it is none of the first {} threads", Survey::kMarkedTracks);
    else if (guest.marks.empty())
      guest.why_unmatched = "no hit has a time stamp and a known location";
    timeline.add_unmatched_thread(std::move(guest));
  }
}

}  // namespace

bool recognizes(const std::filesystem::path& input) {
  std::error_code error;
  if (is_ctf(input)) return true;
  if (!std::filesystem::is_regular_file(input, error)) return false;
  constexpr std::string_view kBegin = kMagic.substr(0, 6);
  std::string head(kBegin.size(), '\0');
  std::ifstream file(input, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return file && head == kBegin;
}

void import(const std::filesystem::path& input, ImportContext& context, const Options& options) {
  if (is_ctf(input))
    throw InputError(
        Location::file(input.string()),
        "a trace in the Common Trace Format, which has no times: save it by `tsave` without `-ctf`");
  auto recording = std::make_unique<Recording>();
  recording->options = options;
  std::unique_ptr<Program> program;
  if (!options.program.empty())
    program = std::make_unique<Program>(options.program, context.options.demangle);
  recording->trace = open_trace_file(input, program ? program->machine() : MachineHint{}, context.notes);
  TraceFile& trace = recording->trace;
  if (program)
    recording->symbols = place_program(std::move(program), trace.description, options, context.notes);
  if (!recording->symbols && !options.symbols.empty())
    recording->symbols = kernel_symbols(options.symbols, context.notes);
  const RegisterLayout* layout = trace.layout ? &*trace.layout : nullptr;
  recording->locations =
      std::make_unique<LocationTable>(trace.description, layout, recording->symbols.get(), context.names);
  note_untyped(trace, *recording->locations, !options.program.empty(), context.notes);
  note_optimized_out(trace, *recording->locations, context.notes);
  note_registers(trace, *recording->locations, options, context.notes);
  recording->survey = survey_frames(trace, *recording->locations, [] {});
  add_survey_notes(trace, recording->survey, context.notes);

  context.timeline.begin_input(trace.path);
  context.stats.bytes_total +=
      trace.file->size() - std::min(trace.file->size(), trace.description.frames_begin);
  std::vector<Lane*> all;
  std::vector<Lane*> lanes = add_lanes(*recording, process_name(input, options), context, all);
  Lane& main = *all.front();
  add_guests(*recording, lanes, context.timeline);
  context.timeline.add_source(
      std::make_unique<TraceSource>(std::move(recording), std::move(lanes), main, context), all);
}

}  // namespace convert::tfile
