// The interface of an importer. An importer reads the data that are needed before the events, adds lanes and
// sources to the Timeline, and returns. The sources read the events while the Timeline runs. An importer does
// not know the output's format, the command line or other importers.
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

// The bytes that are shown as blobs. Memory: bytes not shown in another form. All: also raw register blocks.
enum class Blobs : std::uint8_t { None, Memory, All };

// The options that all importers share. Each importer also has options of its own.
struct ImportOptions {
  std::vector<std::uint64_t> tids = {};  // the threads to show; empty shows all threads
  Demangle demangle = Demangle::Simple;
  Blobs blobs = Blobs::Memory;
};

// Counters for progress and report. Several threads count while reading.
struct ImportStats {
  std::uint64_t bytes_total = 0;  // size of the files that the sources read, known after import()
  std::atomic<std::uint64_t> bytes_read = 0;
  std::atomic<std::uint64_t> records_read = 0;  // uftrace: records of .dat files; tfile: frames
  // Additional lines for the report, each with its input. import() and Timeline::at_end() add them.
  struct Detail {
    std::string input, text;
  };
  std::vector<Detail> details = {};
  std::set<std::uint64_t> tids_found = {};  // the ids in ImportOptions::tids that an input has
  bool shows_unknown_threads = false;       // an input has threads whose ids are not known
  // Ids of threads in the inputs that are not in ImportOptions::tids.
  std::set<std::uint64_t> tids_left_out = {};
  // The effects of options on the calls of all inputs. Importers set the members in Timeline::at_end().
  struct ChosenCalls {
    std::uint64_t left_out = 0;
    bool is_any_shown = false;
    std::vector<std::string> misfits = {};  // "--filter 'mian': similar names: main"
  };
  ChosenCalls chosen_calls = {};

  // Adds the amount that one pump() has read.
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

// Importers throw this error if they must read an input to recognize it, and reading fails.
[[noreturn]] inline void fail_to_read(const std::string& input, const std::error_code& error) {
  throw InputError(Location::file(input), "can't read: " + error.message());
}

// The text of the help about a kind of input.
struct ImporterHelp {
  std::string form = {};   // the form of inputs: "directories"
  std::string input = {};  // a typical path: "run.data"
  // Commands without the program's name, and their effects: {"run.data run.fxt", "a recording of uftrace"}.
  std::vector<std::pair<std::string, std::string>> examples = {};
  std::vector<std::string> common_options = {};  // names of the options that the short help lists
};

class Importer {
 public:
  virtual ~Importer() = default;

  // A noun for such an input: "uftrace recording"; an s makes the plural.
  virtual std::string_view name() const = 0;
  virtual ImporterHelp help() const { return {}; }
  // The options of this importer. Parsing the options changes the importer, so the importer must not move.
  virtual std::vector<Option> options() = 0;

  virtual bool recognizes(const std::filesystem::path& input) const = 0;  // decides by the input's content
  // Describes an input that is not recognized but belongs to this format, and gives advice: "a file of a
  // uftrace recording: convert its directory, DIR". Empty for other inputs.
  virtual std::string advice_for(const std::filesystem::path& /*input*/) const { return {}; }
  // Throws InputError if the input can't be understood at all.
  virtual void import(const std::filesystem::path& input, ImportContext& context) const = 0;
  // The contents of the input, for `--inspect`. Throws like import().
  virtual Outline inspect(const std::filesystem::path& input, Notes& notes) const = 0;
  // Returns the names of objects in inspect(), and for each name the entries that the summary shows. For all
  // other objects, the summary shows only the name.
  virtual std::map<std::string, std::vector<std::string>> summary() const { return {}; }
  // The files that this importer's options name, in addition to the inputs. No output may replace them.
  virtual std::vector<std::string> files_of_options() const { return {}; }
  // The input that is used if no input is given, but a directory of this name exists: "uftrace.data".
  virtual std::string default_input() const { return {}; }
  // True if a thread of such an input is drawn together with the same thread of another input. `--apart`, and
  // `--offset` without the name of an input, apply to such inputs.
  virtual bool joins_others() const { return false; }
};

}  // namespace convert
