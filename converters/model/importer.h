// The interface of an importer. An importer reads the data that are needed before the events, adds lanes and
// sources to the Timeline, and returns. The sources read the events while the Timeline runs.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/option.h"
#include "converters/model/outline.h"
#include "converters/model/timeline.h"

namespace convert {

// The data that are shown as blobs. Memory: texts that describe the recording, and memory that GDB collected.
// All: also raw blocks of registers. Memory includes these blocks only if their layout is unknown.
enum class Blobs : std::uint8_t { None, Memory, All };

struct ImportOptions {
  std::vector<std::uint64_t> tids = {};  // the threads to show; empty shows all threads
  Demangle demangle = Demangle::Simple;
  Blobs blobs = Blobs::Memory;
};

// Counters for progress and report. Several threads change the counters while inputs are read.
struct ImportStats {
  std::uint64_t bytes_total = 0;  // size of the files that the sources read, known after import()
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> records_read = 0;  // uftrace: records of .dat files; tfile: frames
  // Additional lines for the report, with the name of their input.
  struct Detail {
    std::string input, text;
  };
  std::vector<Detail> details = {};
  std::set<std::uint64_t> tids_found = {};  // the ids in ImportOptions::tids that an input has
  bool shows_unknown_threads = false;       // an input has threads whose ids are not known
  // The ids of threads that are not shown because of ImportOptions::tids.
  std::set<std::uint64_t> tids_left_out = {};
  // The effects of options on the calls of all inputs. Importers set the members in Timeline::at_end().
  struct ChosenCalls {
    std::uint64_t left_out = 0;
    bool is_any_shown = false;
    // Options that match no call, such as "--filter 'mian': similar names: main".
    std::vector<std::string> misfits = {};
  };
  ChosenCalls chosen_calls = {};

  void add_read(std::uint64_t bytes, std::uint64_t records) {
    bytes_read.fetch_add(bytes, std::memory_order_relaxed);
    records_read.fetch_add(records, std::memory_order_relaxed);
  }
};

// Importers and their sources use this until the timeline has run.
struct ImportContext {
  Names& names;
  Notes& notes;  // only for importing; sources use Timeline::new_notes()
  Timeline& timeline;
  ImportStats& stats;
  const ImportOptions& options;

  // True if a thread of an input is shown. A thread without `tid` has an unknown id and is always shown.
  bool shows_thread(std::optional<std::uint64_t> tid) {
    if (options.tids.empty()) return true;
    stats.shows_unknown_threads |= !tid;
    const bool is_wanted = !tid || std::ranges::count(options.tids, *tid) != 0;
    if (tid) (is_wanted ? stats.tids_found : stats.tids_left_out).insert(*tid);
    return is_wanted;
  }
};

// For recognizes(): throws the error for an input that can't be read.
[[noreturn]] inline void fail_to_read(const std::string& input, const std::error_code& error) {
  throw InputError(Location::file(input), "can't read: " + error.message());
}

// The text of the help about a kind of input.
struct ImporterHelp {
  std::string form = {};   // the form of inputs: "directories"
  std::string input = {};  // a typical path: "run.data"
  // Arguments of the program and their effects: {"run.data run.fxt", "a recording of uftrace"}.
  std::vector<std::pair<std::string, std::string>> examples = {};
  std::vector<std::string> common_options = {};  // names of the options that the short help lists
};

class Importer {
 public:
  virtual ~Importer() = default;

  // A noun for an input of this importer, such as "uftrace recording". Adding an "s" must give the plural.
  virtual std::string_view name() const = 0;
  virtual ImporterHelp help() const { return {}; }
  // The options of this importer. They refer to members of the importer, which are set when the options are
  // parsed. Therefore, the importer must not be moved.
  virtual std::vector<Option> options() = 0;

  virtual bool recognizes(const std::filesystem::path& input) const = 0;  // decides by the input's content
  // Advice for an input that belongs to this format, but is not recognized: "a file of a uftrace recording:
  // convert its directory, DIR". Empty for other inputs.
  virtual std::string advice_for(const std::filesystem::path& /*input*/) const { return {}; }
  // Throws InputError if the input can't be understood at all.
  virtual void import(const std::filesystem::path& input, ImportContext& context) const = 0;
  // The contents of the input, for `--inspect`. Throws like import().
  virtual Outline inspect(const std::filesystem::path& input, Notes& notes) const = 0;
  // For the summary that `--inspect` prints. Maps the name of an object in inspect() to the entries of this
  // object that are shown. Of any other object, only the name is shown.
  virtual std::map<std::string, std::vector<std::string>> summary() const { return {}; }
  // The files that this importer's options name, in addition to the inputs. No output may replace them.
  virtual std::vector<std::string> files_of_options() const { return {}; }
  // The name of the directory that is converted if no input is given: "uftrace.data".
  virtual std::string default_input() const { return {}; }
  // True if a thread of this input can be drawn together with the same thread of another input. `--apart`
  // applies only to such inputs, and so does an `--offset` that names no input.
  virtual bool joins_others() const { return false; }
};

}  // namespace convert
