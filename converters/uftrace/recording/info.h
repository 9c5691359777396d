// The file `info`: what was recorded, where, and how. It has a header in the byte order of the recorded
// program, and then text lines "key:value". The recorder writes it at the end of the recording. If the
// recorder was killed, the file is missing.
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

// Bits of the header's word `feat_mask`. feature_names() knows the names of all bits.
struct FeatureBits {
  using MaxStack = fxt::Field<6>;
  using EstimateReturn = fxt::Field<11>;
};

// Strings and lists are empty if the file lacks their lines.
struct Info {
  bool present = false;  // if false, the other members have the values that uftrace assumes
  unsigned version = 4;
  std::endian order = std::endian::little;  // byte order of every binary file of the recording
  unsigned bits = 64;                       // word size of the recorded program: 32 or 64
  std::uint64_t features = 0;
  std::optional<std::uint16_t> max_stack;

  std::string exename;
  std::string build_id;
  // The status that wait(2) returned; 65536 if a `finish` trigger stopped the recording.
  std::optional<std::int64_t> exit_status;
  std::string cmdline;    // without the backslashes before quotes
  std::string cpu_count;  // for example "2 / 4 (online/possible)"
  std::string cpu_description;
  std::string meminfo;  // for example "20.2 / 23.5 GB (free / total)"
  std::string kernel;
  std::string hostname;
  std::string distro;
  std::vector<ThreadId> tids;
  struct {
    std::string systime, usrtime, ctxsw, maxrss, pagefault, iops;
  } usage;
  std::string load;
  // The complete lines of argument specs: "argspec:…", "retspec:…", "argauto:…", "retauto:…", "enumauto:…",
  // "auto-args:1".
  std::vector<std::string> argument_lines;
  std::string record_date;
  std::string elapsed_time;
  std::string pattern_type;  // "regex", "glob" or "simple"
  std::string uftrace_version;
  // The Unix time of a record is its time plus this value, with an error of up to a second. For recordings of
  // QEMU, which records Unix times, it is 0.
  std::optional<std::int64_t> utc_offset_s;

  // True if only the first load of each library is recorded. This is so from version 0.17 of uftrace on.
  // False if the version is unknown.
  bool tells_first_loads_only() const;
  template <typename Feature>
  bool has() const {
    return Feature::get(features) != 0;
  }
};

// The length of the recording, from `elapsed_time` ("0.012345678 sec"). Nothing if the file lacks it.
std::optional<std::uint64_t> elapsed_ns(const Info& info);

// Info::utc_offset_s in ns; nothing if the offset is missing or out of range.
std::optional<std::int64_t> utc_offset_ns(const Info& info);

// True if a recording that took `elapsed_ns` can't contain both times. This is so if the time from `from_ns`
// to `to_ns` is at least 39 hours, and also longer than twice `elapsed_ns`. False if `elapsed_ns` is unknown.
bool leaps_too_far(std::uint64_t from_ns, std::uint64_t to_ns, std::optional<std::uint64_t> elapsed_ns);

// Returns uftrace's names of the features, as in "PLTHOOK | TASK_SESSION". Unknown bits are shown as numbers.
std::string feature_names(std::uint64_t features);

// `path` is the name of the file in messages. Throws InputError if the version of the format is too new. Adds
// notes about a damaged header and damaged lines.
Info parse_info(std::string_view bytes, std::string_view path, Notes& notes);

// Reads <directory>/info. If it is missing, empty or unreadable, adds a note, and returns the values that
// uftrace assumes.
Info read_info(const Directory& directory, Notes& notes);

// Describes an exit status: "exited with code 3", "killed by SIGSEGV".
std::string ending_of(std::int64_t exit_status);
bool is_killed(std::int64_t exit_status);  // true if a signal ended the program

}  // namespace convert::uftrace
