#include "converters/uftrace/recording/info.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <span>
#include <sys/wait.h>

#include "converters/model/reading/byte_cursor.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/records.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kMagic{"Ftrace!\0", 8};
constexpr std::size_t kInfoHeaderSize = 40;
constexpr std::size_t kEndianOffset = 14;
constexpr unsigned kOldestVersion = 3;
constexpr unsigned kNewestVersion = 4;
constexpr unsigned kUnlikelyVersion = 31;  // a higher number is damage, and not a later format

// ELF's EI_DATA and EI_CLASS.
constexpr unsigned kElfBigEndian = 2;
constexpr unsigned kElfClass32 = 1;

// Limits the list of threads in `info`. A thread takes only three bytes in this list, but much more memory.
// The list is not essential, because other files also have all threads.
constexpr fxt::Limit kTids{"threads in the list of a recording", 200'000, 0};

constexpr std::array<std::string_view, 14> kFeatureNames{
    "PLTHOOK", "TASK_SESSION", "KERNEL",    "ARGUMENT",   "RETVAL",          "SYM_REL_ADDR", "MAX_STACK",
    "EVENT",   "PERF_EVENT",   "AUTO_ARGS", "DEBUG_INFO", "ESTIMATE_RETURN", "SYM_SIZE",     "CALLSITE"};

std::size_t read_header(std::string_view bytes, std::string_view path, Info& info, Notes& notes) {
  if (!bytes.starts_with(kMagic))
    throw InputError(Location::byte(path, 0),
                     "not a uftrace info file, because it does not start with \"Ftrace!\"");
  const auto raw = std::as_bytes(std::span(bytes));
  if (raw.size() > kEndianOffset && std::to_integer<unsigned>(raw[kEndianOffset]) == kElfBigEndian)
    info.order = std::endian::big;

  ByteCursor in(raw, path, info.order);
  in.read_bytes(kMagic.size(), "magic");
  const auto version_place = in.here();
  info.version = in.read<std::uint32_t>("version");
  if (info.version < kOldestVersion || info.version > kUnlikelyVersion) {
    notes.add(kDamagedLine, version_place,
              fmt::format("version is {}, assumed to be {}", info.version, kNewestVersion));
    info.version = kNewestVersion;
  }
  const auto size_place = in.here();
  const std::size_t header_size = in.read<std::uint16_t>("header size");
  in.read<std::uint8_t>("endian");
  info.bits = in.read<std::uint8_t>("class") == kElfClass32 ? 32 : 64;
  info.features = in.read<std::uint64_t>("feature mask");
  // The mask shows which lines follow. It is not needed, because each line has a key.
  in.read<std::uint64_t>("info mask");
  const auto max_stack = in.read<std::uint16_t>("max stack");
  if (info.has<FeatureBits::MaxStack>()) info.max_stack = max_stack;
  in.read_bytes(kInfoHeaderSize - in.offset(), "unused header bytes");

  if (header_size >= kInfoHeaderSize && header_size <= bytes.size()) return header_size;
  notes.add(kDamagedLine, size_place,
            fmt::format("header size is {}, assumed to be {}", header_size, kInfoHeaderSize));
  return kInfoHeaderSize;
}

// Returns the end of a note about a damaged or missing header.
std::string assumption_text(const Info& info) {
  return fmt::format("assumed: version {}, {} endian, {} bit", info.version,
                     info.order == std::endian::big ? "big" : "little", info.bits);
}

// In the recorded command line, a backslash precedes each quote. Other backslashes are literal.
std::string unquote(std::string_view quoted) {
  std::string text;
  text.reserve(quoted.size());
  for (std::size_t i = 0; i < quoted.size(); ++i)
    if (quoted[i] != '\\' || !quoted.substr(i + 1).starts_with('"')) text.push_back(quoted[i]);
  return text;
}

std::string without_quotes(std::string_view text) {
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"'))
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::int64_t signed_number(const LineReader& line, std::string_view what) {
  const auto number = whole_number<std::int64_t>(line.rest());
  if (!number) line.fail(fmt::format("expected {}", what));
  return *number;
}

void read_tids(LineReader& line, std::vector<ThreadId>& tids) {
  while (!line.rest().empty()) {
    if (tids.size() == kTids.of(0)) {
      tids.clear();
      line.fail(kTids.exceeded() + ", so the list is ignored");
    }
    tids.push_back(ThreadId{line.decimal("tid")});
    if (!line.accept(",") && !line.rest().empty()) line.fail("expected \",\" between tids");
  }
}

struct PlainLine {
  std::string_view key;
  std::string& value;
};

// Ignores unknown lines, because newer versions of uftrace may add some. QEMU's plugin leaves many values
// empty, which means that they are unknown.
void read_line(LineReader line, Info& info) {
  const std::string_view whole = line.rest();
  const std::array plain{PlainLine{"exename:", info.exename},
                         PlainLine{"build_id:", info.build_id},
                         PlainLine{"cpuinfo:nr_cpus=", info.cpu_count},
                         PlainLine{"cpuinfo:desc=", info.cpu_description},
                         PlainLine{"meminfo:", info.meminfo},
                         PlainLine{"osinfo:kernel=", info.kernel},
                         PlainLine{"osinfo:hostname=", info.hostname},
                         PlainLine{"usageinfo:systime=", info.usage.systime},
                         PlainLine{"usageinfo:usrtime=", info.usage.usrtime},
                         PlainLine{"usageinfo:ctxsw=", info.usage.ctxsw},
                         PlainLine{"usageinfo:maxrss=", info.usage.maxrss},
                         PlainLine{"usageinfo:pagefault=", info.usage.pagefault},
                         PlainLine{"usageinfo:iops=", info.usage.iops},
                         PlainLine{"loadinfo:", info.load},
                         PlainLine{"record_date:", info.record_date},
                         PlainLine{"elapsed_time:", info.elapsed_time},
                         PlainLine{"pattern_type:", info.pattern_type},
                         PlainLine{"uftrace_version:", info.uftrace_version}};
  for (const auto& [key, value] : plain) {
    if (!line.accept(key)) continue;
    value = line.rest();
    return;
  }
  if (line.accept("cmdline:")) {
    info.cmdline = unquote(line.rest());
  } else if (line.accept("osinfo:distro=")) {
    info.distro = without_quotes(line.rest());
  } else if (line.accept("exit_status:")) {
    if (!line.rest().empty()) info.exit_status = signed_number(line, "exit status, a decimal number");
  } else if (line.accept("utc_offset:")) {
    info.utc_offset_s = line.rest().empty() ? 0 : signed_number(line, "utc offset, a decimal number");
  } else if (line.accept("taskinfo:tids=")) {
    read_tids(line, info.tids);
  } else if (line.accept("argspec:lines=")) {
    return;  // the number of spec lines is not needed
  } else if (line.accept("argspec:") || line.accept("retspec:") || line.accept("argauto:") ||
             line.accept("retauto:") || line.accept("enumauto:") || line.accept("auto-args:")) {
    info.argument_lines.emplace_back(whole);
  }
}

}  // namespace

bool Info::tells_first_loads_only() const {
  std::string_view text = uftrace_version;  // for example "v0.17 ( x86_64 dwarf …"
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  const auto major = consume_number(text);
  if (!major || !text.starts_with('.')) return false;
  text.remove_prefix(1);
  const auto minor = consume_number(text);
  constexpr std::uint64_t kFirst = 17;
  return minor && (*major > 0 || *minor >= kFirst);
}

std::optional<std::uint64_t> elapsed_ns(const Info& info) {
  constexpr std::uint64_t kMostSeconds = ~std::uint64_t{0} / kNsPerSecond - 1;
  constexpr std::size_t kDigits = 9;
  const std::string_view text = info.elapsed_time;
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || text.size() < point + 1 + kDigits) return std::nullopt;
  const auto seconds = whole_number(text.substr(0, point));
  const auto rest = whole_number(text.substr(point + 1, kDigits));
  if (!seconds || !rest || *seconds > kMostSeconds) return std::nullopt;
  return *seconds * kNsPerSecond + *rest;
}

std::optional<std::int64_t> utc_offset_ns(const Info& info) {
  std::int64_t ns = 0;
  if (!info.utc_offset_s || __builtin_mul_overflow(*info.utc_offset_s, kNsPerSecond, &ns))
    return std::nullopt;
  return ns;
}

bool leaps_too_far(std::uint64_t from_ns, std::uint64_t to_ns, std::optional<std::uint64_t> elapsed_ns) {
  constexpr std::uint64_t kFarNs = std::uint64_t{1} << 47;  // 39 hours
  return elapsed_ns && to_ns > from_ns && to_ns - from_ns >= kFarNs && (to_ns - from_ns) / 2 > *elapsed_ns;
}

std::string feature_names(std::uint64_t features) {
  std::string names;
  for (unsigned bit = 0; features != 0; ++bit, features /= 2) {
    if (features % 2 == 0) continue;
    if (!names.empty()) names += " | ";
    names += bit < kFeatureNames.size() ? std::string(kFeatureNames[bit]) : fmt::format("bit {}", bit);
  }
  return names;
}

Info parse_info(std::string_view bytes, std::string_view path, Notes& notes) {
  Info info;
  std::size_t text_start = 0;
  try {
    text_start = read_header(bytes, path, info, notes);
  } catch (const InputError& damage) {
    notes.add(kNoInfo, [&] { return fmt::format("{}; {}", damage.what(), assumption_text(info)); });
    return info;
  }
  if (info.version > kNewestVersion)
    throw InputError(Location::byte(path, kMagic.size()),
                     fmt::format("unknown version {} of the uftrace format; versions {} and {} are supported",
                                 info.version, kOldestVersion, kNewestVersion));
  info.present = true;
  read_lines(bytes.substr(text_start), path, notes, [&](const LineReader& line) { read_line(line, info); });
  std::ranges::sort(info.tids);
  info.tids.erase(std::unique(info.tids.begin(), info.tids.end()), info.tids.end());
  return info;
}

namespace {

// Returns the byte order of most record files. Looks at the first record of up to 16 files. Little-endian if
// no record is readable.
std::endian order_of_records(const Directory& directory) {
  constexpr int kProbedFiles = 16;
  int probed = 0, big = 0, little = 0;
  for (const ThreadFile& file : directory.threads) {
    std::array<std::byte, kRecordSize> record{};
    if (file.size_bytes < record.size()) continue;
    if (probed++ == kProbedFiles) break;
    try {
      InputFile(file.place).read_available(0, record);
    } catch (const InputError&) {
      continue;
    }
    if (load_record<std::endian::big>(record.data()).has_magic()) ++big;
    if (load_record<std::endian::little>(record.data()).has_magic()) ++little;
  }
  return big > little ? std::endian::big : std::endian::little;
}

}  // namespace

Info read_info(const Directory& directory, Notes& notes) {
  const fxt::FilePlace place = directory.file("info");
  const std::string& path = place.text();
  std::optional<std::string> bytes;
  std::string problem = path + ": is missing";
  try {
    bytes = read_text_file(place);
    if (bytes && bytes->empty()) problem = path + ": is empty";
  } catch (const InputError& unreadable) {
    problem = unreadable.what();
  }
  if (bytes && !bytes->empty()) return parse_info(*bytes, path, notes);
  Info assumed;
  assumed.order = order_of_records(directory);
  if (directory.is_growing)
    notes.add(kStillRecording, Location::file(directory.path.native()),
              "is still being recorded, or `uftrace recv` is still receiving it; only the existing part is "
              "shown, so convert again when the recording has ended");
  else
    notes.add(kNoInfo, [&] { return fmt::format("{}; {}", problem, assumption_text(assumed)); });
  return assumed;
}

namespace {

constexpr std::int64_t kFinishTrigger = 65536;

}  // namespace

std::string ending_of(std::int64_t exit_status) {
  if (exit_status == kFinishTrigger) return "stopped by a finish trigger";
  if (exit_status < 0 || exit_status > kFinishTrigger) return "unknown";
  const int status = static_cast<int>(exit_status);
  if (WIFEXITED(status)) return fmt::format("exited with code {}", WEXITSTATUS(status));
  if (!WIFSIGNALED(status)) return "unknown";
  const char* const name = sigabbrev_np(WTERMSIG(status));
  return name != nullptr ? fmt::format("killed by SIG{}", name)
                         : fmt::format("killed by signal {}", WTERMSIG(status));
}

bool is_killed(std::int64_t exit_status) {
  return exit_status >= 0 && exit_status < kFinishTrigger && WIFSIGNALED(static_cast<int>(exit_status));
}

}  // namespace convert::uftrace
