// The file `info`: what was recorded, where and how. A header in the recorded program's byte order, then text
// lines "key:value". Written when a recording ends, so a killed recorder leaves none.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"
#include "fxt/field.h"

namespace convert::uftrace {

// Bits of the header word feat_mask; feature_names() has the names of all.
struct FeatureBits {
  using MaxStack = fxt::Field<6>;
  using EstimateReturn = fxt::Field<11>;
};

// Strings and lists are empty if the file does not have their lines.
struct Info {
  bool present = false;  // if false, the rest is what uftrace assumes without the file
  unsigned version = 4;
  std::endian order = std::endian::little;  // of every binary file of the recording
  unsigned bits = 64;                       // of the recorded program: 32 or 64
  std::uint64_t features = 0;
  std::optional<std::uint16_t> max_stack;

  std::string exename;
  std::string build_id;
  std::optional<std::int64_t> exit_status;  // as wait(2) gives it; 65536: stopped by a `finish` trigger
  std::string cmdline;                      // unquoted
  std::string cpu_count;                    // "2 / 4 (online/possible)"
  std::string cpu_description;
  std::string meminfo;  // "20.2 / 23.5 GB (free / total)"
  std::string kernel;
  std::string hostname;
  std::string distro;
  std::vector<ThreadId> tids;
  struct {
    std::string systime, usrtime, ctxsw, maxrss, pagefault, iops;
  } usage;
  std::string load;
  // The whole lines of argument specs: "argspec:…", "retspec:…", "argauto:…",
  // "retauto:…", "enumauto:…", "auto-args:1".
  std::vector<std::string> argument_lines;
  std::string record_date;
  std::string elapsed_time;
  std::string pattern_type;  // regex, glob or simple
  std::string uftrace_version;
  // Record time + this = Unix time, with an error of up to a second. QEMU records Unix time and writes no
  // value: 0.
  std::optional<std::int64_t> utc_offset_s;

  // Of a library, from version 0.17 on. False if the version is not known.
  bool tells_first_loads_only() const;
  template <typename Feature>
  bool has() const {
    return Feature::get(features) != 0;
  }
};

// How long the recording took, from `elapsed_time` ("0.012345678 sec"); nothing if the file lacks it.
std::optional<std::uint64_t> elapsed_ns(const Info& info);

// Info::utc_offset_s in ns; nothing if the file lacks it, or it is out of range.
std::optional<std::int64_t> utc_offset_ns(const Info& info);

// Whether a recording that took `elapsed_ns` can't contain both times: they are at least 39 hours apart, and
// more than twice `elapsed_ns`. False if `elapsed_ns` is unknown.
bool leaps_too_far(std::uint64_t from_ns, std::uint64_t to_ns, std::optional<std::uint64_t> elapsed_ns);

// "PLTHOOK | TASK_SESSION": the features in uftrace's words; unknown bits have their number.
std::string feature_names(std::uint64_t features);

// `path` is the name of the file in messages. Throws InputError if the version of the format is too new. A
// damaged header or line is noted.
Info parse_info(std::string_view bytes, std::string_view path, Notes& notes);

// Reads <directory>/info. A missing, empty or unreadable file is noted, and the result is what uftrace
// assumes then.
Info read_info(const Directory& directory, Notes& notes);

// How a program ended, by its exit status: "exited with code 3", "killed by SIGSEGV".
std::string ending_of(std::int64_t exit_status);
bool is_killed(std::int64_t exit_status);  // by a signal

}  // namespace convert::uftrace
