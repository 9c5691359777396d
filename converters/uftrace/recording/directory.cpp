#include "converters/uftrace/recording/directory.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/input_file.h"
#include "converters/model/reading/text.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kMapPrefix = "sid-";
constexpr std::string_view kMapSuffix = ".map";

// The number of a file called <prefix><decimal number><suffix>; uftrace writes no leading zeros.
std::optional<std::uint32_t> number_between(std::string_view name, std::string_view prefix,
                                            std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size())
    return std::nullopt;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return whole_number<std::uint32_t>(digits);
}

// Whether a process has the FIFO open: the recorder, which reads what its program tells it. Looks at the
// files of processes, as opening the FIFO would disturb both. False for processes of other users.
bool is_open(const std::filesystem::path& fifo) {
  using std::filesystem::directory_iterator;
  struct stat wanted {};
  if (::stat(fifo.c_str(), &wanted) != 0 || !S_ISFIFO(wanted.st_mode)) return false;
  std::error_code error;
  for (directory_iterator process("/proc", error); !error && process != directory_iterator();
       process.increment(error)) {
    if (!whole_number(process->path().filename().native())) continue;
    std::error_code hidden;
    for (directory_iterator file(process->path() / "fd", hidden); !hidden && file != directory_iterator();
         file.increment(hidden)) {
      struct stat status {};
      if (::stat(file->path().c_str(), &status) == 0 && status.st_ino == wanted.st_ino &&
          status.st_dev == wanted.st_dev)
        return true;
    }
  }
  return false;
}

}  // namespace

Directory list_directory(const std::filesystem::path& path) {
  Directory found{.path = path};
  std::error_code error;
  std::filesystem::directory_iterator entries(path, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().native();
    std::error_code unknown;
    const bool is_file = entries->is_regular_file(unknown);
    const std::uint64_t size_bytes = is_file ? entries->file_size(unknown) : 0;
    const auto tid = number_between(name, "", ".dat");
    const auto perf_cpu = number_between(name, "perf-cpu", ".dat");
    const auto kernel_cpu = number_between(name, "kernel-cpu", ".dat");
    if (unknown == std::errc::no_such_file_or_directory) continue;
    if ((tid || perf_cpu || kernel_cpu) && unknown)
      throw InputError(Location::file(entries->path().native()), "can't be looked at: " + unknown.message());
    if (!is_file && !unknown) continue;  // what is not known is noted when it is read
    if (tid) {
      found.threads.push_back({ThreadId{*tid}, entries->path(), size_bytes});
    } else if (perf_cpu) {
      found.perf_cpus.push_back({*perf_cpu, entries->path(), size_bytes});
    } else if (kernel_cpu) {
      found.kernel_cpus.push_back({*kernel_cpu, entries->path(), size_bytes});
    } else if (name.starts_with(kMapPrefix) && name.ends_with(kMapSuffix) &&
               name.size() > kMapPrefix.size() + kMapSuffix.size()) {
      found.session_maps.push_back(
          name.substr(kMapPrefix.size(), name.size() - kMapPrefix.size() - kMapSuffix.size()));
    } else if (name.ends_with(".sym")) {
      found.symbol_files.push_back(name);
    } else if (name.ends_with(".dbg")) {
      found.debug_files.push_back(name);
    }
  }
  if (error) throw InputError(Location::file(path.native()), "can't be listed: " + error.message());

  // A recorder makes the FIFO when it begins, and writes info when it ends.
  found.is_growing = !std::filesystem::exists(path / "info", error) && is_open(path / ".channel");

  std::ranges::sort(found.threads, {}, &ThreadFile::tid);
  std::ranges::sort(found.perf_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.kernel_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.session_maps);
  std::ranges::sort(found.symbol_files);
  std::ranges::sort(found.debug_files);

  // The kernel's files are read twice, for a moment at one time.
  const bool keep_open =
      found.threads.size() + found.perf_cpus.size() + 2 * found.kernel_cpus.size() <= open_file_limit();
  for (ThreadFile& file : found.threads) file.keep_open = keep_open;
  for (std::vector<CpuFile>* const files : {&found.perf_cpus, &found.kernel_cpus})
    for (CpuFile& file : *files) file.keep_open = keep_open;
  return found;
}

std::optional<std::string> read_optional_file(const std::filesystem::path& path, Notes& notes,
                                              std::size_t limit_bytes) {
  try {
    return read_text_file(path, limit_bytes);
  } catch (const InputError& unreadable) {
    notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    return std::nullopt;
  }
}

}  // namespace convert::uftrace
