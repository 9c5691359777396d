#include "converters/uftrace/recording/directory.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <utility>

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
bool is_open(const fxt::Folder& folder, const char* fifo) {
  using std::filesystem::directory_iterator;
  struct stat wanted {};
  if (::fstatat(folder.descriptor(), fifo, &wanted, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISFIFO(wanted.st_mode))
    return false;
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
  Directory found{.path = path, .folder = std::make_shared<const fxt::Folder>(path)};
  const auto fail_to_list = [&](const std::string& problem) {
    throw InputError(Location::file(path.native()), "can't be listed: " + problem);
  };
  if (found.folder->error() != 0) fail_to_list(std::strerror(found.folder->error()));
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
    place.expect_regular();  // there may be thousands, which are opened several times
    if (tid) {
      found.threads.push_back({ThreadId{*tid}, std::move(place), status.size_bytes});
    } else if (perf_cpu) {
      found.perf_cpus.push_back({*perf_cpu, std::move(place), status.size_bytes});
    } else if (kernel_cpu) {
      found.kernel_cpus.push_back({*kernel_cpu, std::move(place), status.size_bytes});
    } else if (is_map) {  // whether these can be read is seen when they are needed
      found.session_maps.push_back(
          name.substr(kMapPrefix.size(), name.size() - kMapPrefix.size() - kMapSuffix.size()));
    } else {
      (name.ends_with(".sym") ? found.symbol_files : found.debug_files).push_back(name);
    }
  }
  if (error) fail_to_list(error.message());

  // A recorder makes the FIFO when it begins, and writes info when it ends.
  found.is_growing = found.file("info").status().kind == fxt::FilePlace::Status::Kind::Missing &&
                     is_open(*found.folder, ".channel");

  std::ranges::sort(found.threads, {}, &ThreadFile::tid);
  std::ranges::sort(found.perf_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.kernel_cpus, {}, &CpuFile::cpu);
  std::ranges::sort(found.session_maps);
  std::ranges::sort(found.symbol_files);
  std::ranges::sort(found.debug_files);
  std::ranges::sort(found.refused);

  // The kernel's files are read twice, for a moment at one time.
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
