#include "converters/uftrace/recording/directory.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/text.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kMapPrefix = "sid-";
constexpr std::string_view kMapSuffix = ".map";

// Returns the number in a file name <prefix><decimal number><suffix>. uftrace writes no leading zeros.
std::optional<std::uint32_t> number_between(std::string_view name, std::string_view prefix,
                                            std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return whole_number<std::uint32_t>(digits);
}

using std::filesystem::directory_iterator;

// True if `accept` returns true for the directory of some process in /proc. For processes of other users,
// most files in this directory can't be read.
template <typename Accept>
bool is_any_process(Accept accept) {
  std::error_code error;
  for (directory_iterator process("/proc", error); !error && process != directory_iterator();
       process.increment(error))
    if (whole_number(process->path().filename().native()) && accept(process->path())) return true;
  return false;
}

// Calls `look` with the link of each open file of the process, until `look` returns true.
template <typename Look>
bool is_any_file(const std::filesystem::path& process, Look look) {
  std::error_code error;
  for (directory_iterator file(process / "fd", error); !error && file != directory_iterator();
       file.increment(error))
    if (look(file->path())) return true;
  return false;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

// A limit for bytes that are read again, because a file with several names (links) is read once for each
// name.
constexpr fxt::Limit kRepeated{"MiB of files of a recording that are read again through links",
                               32 * fxt::kMiB, 0};

// Recognizes files that have several names in the folder.
class RepeatedFiles {
 public:
  explicit RepeatedFiles(const fxt::Folder& folder) : folder_(folder) {}

  // True if the file was listed under another name, and reading it again would exceed the limit.
  bool is_too_much(const std::string& name, std::uint64_t bytes) {
    struct stat found {};
    return ::fstatat(folder_.descriptor(), name.c_str(), &found, 0) == 0 &&
           !known_.emplace(found.st_dev, found.st_ino).second && !repeated_.take(bytes);
  }
  std::string exceeded() const { return repeated_.exceeded(); }

 private:
  const fxt::Folder& folder_;
  std::set<std::pair<dev_t, ino_t>> known_;
  fxt::Budget repeated_{kRepeated};
};

// True if a process has opened the FIFO through which the recorder gets messages from the program. Checks the
// open files of all processes, because opening the FIFO would disturb recorder and program.
bool is_open(const fxt::Folder& folder, const char* fifo) {
  struct stat wanted {};
  if (::fstatat(folder.descriptor(), fifo, &wanted, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISFIFO(wanted.st_mode))
    return false;
  return is_any_process([&](const std::filesystem::path& process) {
    return is_any_file(process, [&](const std::filesystem::path& file) {
      struct stat status {};
      return ::stat(file.c_str(), &status) == 0 && is_same_file(status, wanted);
    });
  });
}

// True if `uftrace recv` runs in the recording's parent directory, and has a second socket, which shows that
// a machine is sending. The open files do not show which recording is received, because `uftrace recv` keeps
// no files open.
bool is_received(const std::filesystem::path& recording) {
  std::error_code error;
  struct stat around {};
  const auto absolute = std::filesystem::weakly_canonical(recording, error);
  if (error || ::stat(absolute.parent_path().c_str(), &around) != 0) return false;
  return is_any_process([&](const std::filesystem::path& process) {
    struct stat status {};
    std::error_code hidden;
    if (std::filesystem::read_symlink(process / "exe", hidden).filename() != "uftrace" ||
        ::stat((process / "cwd").c_str(), &status) != 0 || !is_same_file(status, around))
      return false;
    std::size_t sockets = 0;
    return is_any_file(process, [&](const std::filesystem::path& file) {
      if (std::filesystem::read_symlink(file, hidden).native().starts_with("socket:")) ++sockets;
      return sockets > 1;
    });
  });
}

}  // namespace

Directory list_directory(const std::filesystem::path& path) {
  Directory found{.path = path, .folder = std::make_shared<const fxt::Folder>(path)};
  const auto fail_to_list = [&](const std::string& problem) {
    throw InputError(Location::file(path.native()), "can't read: " + problem);
  };
  if (found.folder->error() != 0) fail_to_list(std::strerror(found.folder->error()));
  RepeatedFiles links(*found.folder);
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().native();
    const auto tid = number_between(name, "", ".dat");
    const auto perf_cpu = number_between(name, "perf-cpu", ".dat");
    const auto kernel_cpu = number_between(name, "kernel-cpu", ".dat");
    const bool is_map = name.starts_with(kMapPrefix) && name.ends_with(kMapSuffix) &&
                        name.size() > kMapPrefix.size() + kMapSuffix.size();
    const bool has_records = tid || perf_cpu || kernel_cpu;
    if (!has_records && !is_map && !name.ends_with(".sym") && !name.ends_with(".dbg")) continue;
    fxt::FilePlace place = found.file(name);
    const auto status = place.status();
    using Kind = fxt::FilePlace::Status::Kind;
    if (status.kind == Kind::Missing) continue;
    if (has_records && status.kind == Kind::Unknown)
      throw InputError(Location::file(place.text()), status.problem);
    if (status.kind == Kind::Refused) {
      found.refused.push_back(fmt::format("{}: {}", place.text(), status.problem));
      continue;
    }
    if (links.is_too_much(name, status.size_bytes)) {
      found.refused.push_back(fmt::format("{}: {}", place.text(), links.exceeded()));
      continue;
    }
    place.expect_regular();  // avoids a check at each open, because there may be thousands of files
    if (tid) {
      found.threads.push_back({ThreadId{*tid}, std::move(place), status.size_bytes});
    } else if (perf_cpu) {
      found.perf_cpus.push_back({*perf_cpu, std::move(place), status.size_bytes});
    } else if (kernel_cpu) {
      found.kernel_cpus.push_back({*kernel_cpu, std::move(place), status.size_bytes});
    } else if (is_map) {  // if a map can't be read, a note is added when the map is needed
      found.session_maps.push_back(
          name.substr(kMapPrefix.size(), name.size() - kMapPrefix.size() - kMapSuffix.size()));
    } else {
      (name.ends_with(".sym") ? found.symbol_files : found.debug_files).push_back(name);
    }
  }
  if (error) fail_to_list(error.message());

  // A recorder creates the FIFO at its start, and writes `info` at its end. `info` also comes last if another
  // machine sends the files to this one.
  found.is_growing = found.file("info").status().kind == fxt::FilePlace::Status::Kind::Missing &&
                     (is_open(*found.folder, ".channel") || is_received(path));

  std::ranges::sort(found.threads, {}, &ThreadFile::tid);
  std::ranges::sort(found.perf_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.kernel_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.session_maps);
  std::ranges::sort(found.symbol_files);
  std::ranges::sort(found.debug_files);
  std::ranges::sort(found.refused);

  // For some time, each of the kernel's files is open twice.
  const bool keep_open =
      found.threads.size() + found.perf_cpus.size() + 2 * found.kernel_cpus.size() <= open_file_limit();
  for (ThreadFile& file : found.threads) file.keep_open = keep_open;
  for (std::vector<CpuFile>* const files : {&found.perf_cpus, &found.kernel_cpus})
    for (CpuFile& file : *files) file.keep_open = keep_open;
  return found;
}

std::optional<std::string> read_optional_file(const fxt::FilePlace& place, Notes& notes,
                                              std::size_t limit_bytes) {
  try {
    return read_text_file(place, limit_bytes);
  } catch (const InputError& unreadable) {
    notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    return std::nullopt;
  }
}

}  // namespace convert::uftrace
