#include "converters/tfile/importer.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/symbols/elf_image.h"
#include "converters/tfile/description/argument_name.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/events/structure_check.h"
#include "converters/tfile/events/trace_source.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/survey.h"
#include "converters/tfile/trace_notes.h"

namespace convert::tfile {
namespace {

class TraceFileImporter final : public Importer {
 public:
  std::string_view name() const override { return "GDB trace file"; }
  ImporterHelp help() const override {
    return {.input = "session.tfile",
            .examples = {{"session.tfile out.fxt", "convert a GDB trace file (tsave)"}},
            .common_options = {"program"}};
  }
  std::vector<Option> options() override;
  bool recognizes(const std::filesystem::path& input) const override { return tfile::recognizes(input); }
  void import(const std::filesystem::path& input, ImportContext& context) const override {
    tfile::import(input, context, options_);
  }
  Outline inspect(const std::filesystem::path& input, Notes& notes) const override {
    return tfile::inspect(input, notes, options_);
  }
  std::map<std::string, std::vector<std::string>> summary() const override {
    return {{"format", {}},
            {"target", {"architecture"}},
            {"status", {"state", "notes"}},
            {"frames", {"frames", "hits", "steps"}},
            {"time", {"clock", "frames with a time stamp", "of", "span", "first ns", "last ns"}}};
  }
  std::vector<std::string> files_of_options() const override {
    std::vector<std::string> files(options_.programs.begin(), options_.programs.end());
    if (!options_.symbols.empty()) files.push_back(options_.symbols);
    return files;
  }
  bool joins_others() const override { return true; }

 private:
  TraceFileOptions options_;
};

void add_items(std::string_view list, std::vector<std::string>& items) {
  for (const CollectItem& item : collect_items({fmt::format("collect {}", list)}).hit)
    items.push_back(argument_name(item.text));
}

GivenBias parse_bias(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return {.bias = fxt::parse_address(text).value};
  return {.module = std::string(text.substr(0, equals)),
          .bias = fxt::parse_address(text.substr(equals + 1)).value};
}

std::vector<Option> TraceFileImporter::options() {
  return {
      choice("frames", options_.frames, {{"marks", FrameChoice::Marks}, {"tracks", FrameChoice::Tracks}},
             "choose where frames are shown: on their thread (marks, the default), or on a separate track "
             "for each tracepoint (tracks)"),
      choice("registers", options_.registers,
             {{"auto", RegisterChoice::Auto},
              {"none", RegisterChoice::None},
              {"general", RegisterChoice::General},
              {"all", RegisterChoice::All}},
             "choose which registers of a frame are shown (default: auto, which shows the registers that the "
             "actions name, and for $regs the general registers)"),
      {.name = "plot",
       .argument = "ITEM[,ITEM...]",
       .help = "also show the numbers in these collected items as counters. `all` means all numbers except "
               "addresses, registers and raw memory",
       .value = each<std::string>([this](const std::string& items) { add_items(items, options_.plotted); }),
       .may_repeat = true},
      {.name = "program",
       .argument = "ELF",
       .help = "read functions, source lines and types from this file: the traced program, or one of its "
               "libraries",
       .value = each<std::string>([this](const std::string& path) { options_.programs.emplace_back(path); }),
       .may_repeat = true,
       .goes_with_inspect = true},
      {.name = "load-bias",
       .argument = "[MODULE=]ADDRESS",
       .help =
           "set the load address of the program, or of the module with this file name (default: detected)",
       .value = each<std::string>(
           [this](const std::string& text) { options_.load_biases.push_back(parse_bias(text)); }),
       .may_repeat = true,
       .goes_with_inspect = true,
       .works_with = {"program"}},
      {.name = "symbols",
       .argument = "FILE",
       .help = "read names from a kernel's kallsyms or System.map, for traces of a kernel",
       .value = store_in(options_.symbols),
       .goes_with_inspect = true},
  };
}

// Throws InputError if the file can't be read.
bool begins_with(const fxt::FilePlace& place, std::string_view expected) {
  std::string head(expected.size(), '\0');
  head.resize(InputFile(place).read_available(0, std::as_writable_bytes(std::span(head))).size());
  return head == expected;
}

// True if `input` is a directory that `tsave -ctf` wrote.
bool is_ctf(const std::filesystem::path& input) {
  const auto folder = std::make_shared<const fxt::Folder>(input);
  const auto is_file = [](const fxt::FilePlace& place) {
    return place.status().kind == fxt::FilePlace::Status::Kind::Regular;
  };
  const auto metadata = fxt::FilePlace::beneath(folder, "metadata");
  return is_file(fxt::FilePlace::beneath(folder, "datastream")) && is_file(metadata) &&
         begins_with(metadata, "/* CTF ");
}

// Adds the lanes of a trace file. Process and thread ids are made up: a file has no process ids, and has
// thread ids only if KGTP or the user collected them (see add_unmatched_threads()).
class LaneBuilder {
 public:
  LaneBuilder(const TraceRecording& recording, const std::string& process, ImportContext& context)
      : recording_(recording),
        survey_(recording.survey),
        names_(names_of(survey_.tracks, survey_.shown_track)),
        process_(process),
        context_(context) {}

  // Adds a lane for each track that is shown, in the order of the survey's tracks.
  void add_threads() {
    const std::vector<std::uint64_t> frames = survey_.frames_shown();
    lanes_.of_track.resize(survey_.tracks.size());
    parts_.resize(survey_.tracks.size());
    for (std::size_t i = 0; i < survey_.tracks.size(); ++i) {
      if (survey_.shown_track[i] != i) continue;
      const ThreadTrack& track = survey_.tracks[i];
      const bool is_shown = context_.shows_thread(track.has_id() ? std::optional(track.id) : std::nullopt);
      if (!is_shown || (!track.has_id() && !context_.options.tids.empty()))
        context_.notes.add(is_shown ? kThreadsWithoutId : kThreadsLeftOut,
                           Location::file(recording_.trace.path), names_[i]);
      if (is_shown) lanes_.of_track[i] = add(frames[i], names_[i]);
    }
    for (std::size_t i = 0; i < survey_.tracks.size(); ++i)
      lanes_.of_track[i] = lanes_.of_track[survey_.shown_track[i]];
    if (survey_.tracks.empty()) add(0, "no frames");
  }

  // Adds a lane for each tracepoint on each thread. The lane shows the frames of this tracepoint on this
  // thread. These frames are then not on the lane of the thread.
  void add_tracepoints() {
    std::map<std::pair<std::int16_t, std::size_t>, std::uint64_t> frames;  // by tracepoint and thread
    for (const auto& [track, count] : survey_.frames_on)
      frames[{track.first, survey_.shown_track[track.second]}] += count;
    const auto is_of_first = [&](std::size_t thread) { return thread == survey_.shown_track.front(); };
    const bool has_one_thread = std::ranges::all_of(survey_.shown_track, is_of_first);
    for (const auto& [track, count] : frames) {
      const auto [tracepoint, thread] = track;
      Lane* const thread_lane = lanes_.of_track[thread];
      if (thread_lane == nullptr) continue;
      std::string name = tracepoint_name(tracepoint, recording_.locations, recording_.symbols.get());
      Lane* const lane = add(count, has_one_thread ? name : fmt::format("{} on {}", name, names_[thread]));
      parts_[thread].push_back({.lane = lane, .name = std::move(name)});
      lanes_.of_tracepoint[{tracepoint, thread_lane}] = lane;
    }
  }

  // Registers the threads with the timeline, which can then find the same threads in other inputs.
  void add_unmatched_threads();

  const std::vector<Lane*>& all() const { return all_; }  // empty if all threads are filtered out
  FrameLanes take_lanes() { return std::move(lanes_); }

 private:
  Lane* add(std::uint64_t weight, std::string name) {
    Lane& lane = context_.timeline.add_lane({.process = static_cast<ProcessId>(kFirstMadeUpId),
                                             .thread = static_cast<ThreadId>(kFirstMadeUpId + all_.size()),
                                             .process_name = process_,
                                             .thread_name = std::move(name),
                                             .weight = weight});
    all_.push_back(&lane);
    return &lane;
  }

  const TraceRecording& recording_;
  const TraceSurvey& survey_;
  const std::vector<std::string> names_;  // by track
  const std::string& process_;
  ImportContext& context_;
  FrameLanes lanes_;
  std::vector<std::vector<UnmatchedThread::Part>> parts_;  // by track
  std::vector<Lane*> all_;
};

void LaneBuilder::add_unmatched_threads() {
  for (std::size_t i = 0; i < lanes_.of_track.size(); ++i) {
    if (survey_.shown_track[i] != i || lanes_.of_track[i] == nullptr) continue;
    const ThreadTrack& track = survey_.tracks[i];
    UnmatchedThread unmatched{.lane = lanes_.of_track[i],
                              .name = names_[i],
                              .marks = survey_.marks[i],
                              .resolution_ns = resolution_ns(survey_.time.base),
                              .is_thread = track.clue == ThreadClue::ThreadPointer ||
                                           track.clue == ThreadClue::Pid || track.clue == ThreadClue::Task};
    if (track.has_id() && track.id < kFirstMadeUpId) unmatched.id = track.id;
    unmatched.may_be_several = track.clue == ThreadClue::None || track.clue == ThreadClue::Cpu;
    unmatched.parts = std::move(parts_[i]);
    if (survey_.time.stamped == 0)
      unmatched.why_unmatched = "the frames have no timestamps; use collect $trace_timestamp";
    else if (unmatched.marks.empty() && i >= TraceSurvey::kMarkedTracks)
      unmatched.why_unmatched =
          fmt::format("only the first {} threads of a trace file are matched", TraceSurvey::kMarkedTracks);
    else if (unmatched.marks.empty())
      unmatched.why_unmatched = "no hit has a timestamp and a known location";
    context_.timeline.add_unmatched_thread(std::move(unmatched));
  }
}

// Calls `open`, which opens a file. If the file exceeds a limit, adds a note and returns null.
template <typename Open>
auto opened_or_noted(Open open, Notes& notes) -> decltype(open()) {
  try {
    return open();
  } catch (const OverLimit& limit) {
    note_over_limit(notes, limit, "the names, lines and types of this file are not shown");
    return nullptr;
  }
}

// The name of the executable. If all programs seem to be libraries, the name of the first program. Without
// programs, the name of the input.
std::string process_name(const std::filesystem::path& input,
                         const std::vector<std::filesystem::path>& programs) {
  if (programs.empty()) return input.filename().string();
  const auto is_executable = [](const std::filesystem::path& path) {
    const InputFile file{fxt::FilePlace(path)};
    return ElfImage(file).find(".interp") != nullptr;
  };
  const auto found = std::ranges::find_if(programs, is_executable);
  return (found != programs.end() ? *found : programs.front()).filename().string();
}

}  // namespace

std::unique_ptr<TraceRecording> read_recording(const std::filesystem::path& input,
                                               const TraceFileOptions& options, Demangle demangle,
                                               Names& names, Notes& notes) {
  auto recording = std::make_unique<TraceRecording>();
  std::vector<std::unique_ptr<Program>> programs;
  for (const std::filesystem::path& path : options.programs)
    programs.push_back(opened_or_noted([&] { return std::make_unique<Program>(path, demangle); }, notes));
  const bool has_program = !programs.empty() && programs.front() != nullptr;
  recording->trace =
      open_trace_file(input, has_program ? programs.front()->layout().machine() : MachineHint{}, notes);
  TraceFile& trace = recording->trace;
  fxt::Budget matches(kMatchedItems, trace.file->size());
  recording->locations = expect_all_frames(trace.description, trace.register_layout(), names, matches);
  if (matches.is_exceeded())
    note_over_limit(notes, Location::file(trace.path), matches, "some collected items have no values");
  auto modules = std::make_unique<ModuleSet>(std::move(programs), trace, recording->locations,
                                             options.load_biases, notes);
  check_structures(trace, recording->locations, *modules, notes);
  if (!modules->empty()) recording->symbols = std::move(modules);
  if (!recording->symbols && !options.symbols.empty())
    recording->symbols = opened_or_noted([&] { return read_kernel_symbols(options.symbols, notes); }, notes);
  recording->survey = survey_frames(trace, recording->locations);
  return recording;
}

std::unique_ptr<Importer> make_importer() { return std::make_unique<TraceFileImporter>(); }

bool recognizes(const std::filesystem::path& input) {
  if (is_ctf(input)) return true;
  std::error_code error;
  constexpr std::string_view kMagicOfAllVersions = kMagic.substr(0, 6);
  const auto type = std::filesystem::status(input, error).type();
  if (type == std::filesystem::file_type::none) fail_to_read(input.native(), error);
  return type == std::filesystem::file_type::regular &&
         begins_with(fxt::FilePlace(input), kMagicOfAllVersions);
}

void import(const std::filesystem::path& input, ImportContext& context, const TraceFileOptions& options) {
  if (is_ctf(input))
    throw InputError(
        Location::file(input.string()),
        "a trace in the Common Trace Format; save it with `tsave session.tfile`, without `-ctf`");
  auto recording = read_recording(input, options, context.options.demangle, context.names, context.notes);
  const TraceFile& trace = recording->trace;
  add_location_notes(trace, recording->locations, !options.programs.empty(), options.registers,
                     context.notes);
  add_survey_notes(trace, recording->locations, recording->survey, context.notes);
  context.timeline.begin_input(trace.path);
  const std::string process = process_name(input, options.programs);
  LaneBuilder lanes(*recording, process, context);
  lanes.add_threads();
  if (lanes.all().empty()) return;
  if (options.frames == FrameChoice::Tracks) lanes.add_tracepoints();
  context.stats.bytes_total += trace.file->size();
  context.stats.add_read(trace.description.frames_begin, 0);
  lanes.add_unmatched_threads();
  Lane& main = *lanes.all().front();
  context.timeline.add_source(
      std::make_unique<TraceSource>(std::move(recording), lanes.take_lanes(), main,
                                    ShownFrames{options.registers, options.plotted}, context),
      lanes.all());
}

}  // namespace convert::tfile
