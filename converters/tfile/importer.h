// GDB trace files ("tfiles", saved by `tsave` or read from the KGTP module): every tracepoint hit on the
// timeline. This is the interface of the folder for the rest of the program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/notes.h"
#include "converters/model/outline.h"
#include "converters/tfile/events/recipe_builder.h"
#include "converters/tfile/program/module_set.h"

namespace convert::tfile {

// Where frames are shown: on their thread, or on a track for each tracepoint.
enum class FrameChoice : std::uint8_t { Marks, Tracks };

struct TraceFileOptions {
  FrameChoice frames = FrameChoice::Marks;
  RegisterChoice registers = RegisterChoice::Auto;
  std::vector<std::filesystem::path> programs = {};  // the traced program and libraries, for names and types
  std::vector<GivenBias> load_biases = {};  // load biases that the user gave; check_places() finds the others
  std::vector<std::string> plotted = {};    // items that are also drawn as counters; see Plots
  std::filesystem::path symbols = {};       // a kernel's kallsyms or System.map; empty: none
};

std::unique_ptr<Importer> make_importer();

// True for a file that begins like a trace file of any version. Also true for directories of `tsave -ctf`,
// because import() rejects these with advice.
bool recognizes(const std::filesystem::path& input);

// Reads the description and surveys all frames once. The source that it adds to the timeline reads the frames
// again while the timeline runs. The memory does not grow with the number of frames. Throws InputError if the
// file can't be understood.
void import(const std::filesystem::path& input, ImportContext& context, const TraceFileOptions& options = {});

// Describes the contents of a trace file without converting it. Reads the whole file once. Throws InputError
// like import().
Outline inspect(const std::filesystem::path& input, Notes& notes, const TraceFileOptions& options = {});

struct TraceRecording;
// Reads everything except the events, for import() and inspect(). Adds notes only about opening the file.
std::unique_ptr<TraceRecording> read_recording(const std::filesystem::path& input,
                                               const TraceFileOptions& options, Demangle demangle,
                                               Names& names, Notes& notes);

}  // namespace convert::tfile
