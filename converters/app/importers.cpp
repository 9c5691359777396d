#include "converters/app/importers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include "converters/model/reading/input_error.h"
#include "converters/tfile/importer.h"
#include "converters/uftrace/importer.h"
#include "fxt/tools/trace_files.h"

namespace convert {
namespace {

// A new format adds its importer here.
constexpr std::array kRooms{
    &uftrace::make_importer,
    &tfile::make_importer,
};

namespace fs = std::filesystem;

std::string head_of(const fs::path& path) {
  std::array<char, 16> bytes = {};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(in.gcount())};
}

bool is_recording(const fs::path& directory) {
  std::error_code error;
  return fs::exists(directory / "info", error) || fs::exists(directory / "task.txt", error);
}

constexpr std::string_view kCtf =
    "a trace in the Common Trace Format, as LTTng writes: babeltrace2 and Trace Compass read it";

// CTF metadata is text, or packets of either byte order.
bool is_ctf_metadata(const fs::path& file) {
  const std::string head = head_of(file);
  return head.starts_with("/* CTF ") || head.starts_with("\x57\x1d\xd1\x75") ||
         head.starts_with("\x75\xd1\x1d\x57");
}

// What an input that no importer recognizes is, and what to do with it: "a file of a uftrace recording:
// convert its directory, DIR". Empty if that is unknown.
std::string advice_for(const std::string& input) {
  std::error_code error;
  const fs::path path(input);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(path, error)) {
    if (fs::is_empty(path, error)) return "an empty directory";
    if (is_ctf_metadata(path / "metadata")) return std::string(kCtf);
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.is_directory(error) && is_recording(entry.path()))
        return fmt::format("a directory with a recording in it: {}", entry.path().string());
    return {};
  }
  if (!fs::is_regular_file(path, error)) return "neither a file nor a directory";
  if (is_recording(folder))
    return fmt::format("a file of a uftrace recording: convert its directory, {}", folder.string());
  if (fxt::tools::is_fxt(input))
    return "an FXT trace already: viewers open it, fxt-dump prints it, fxt-cut takes parts of it";
  const std::string head = head_of(path);
  if (head.empty()) return "an empty file";
  if (head.starts_with("PERFILE2"))
    return "a file of perf record: `perf data convert --to-ctf` or `--to-json` is its way";
  if (head.starts_with("\x7f"
                       "ELF"))
    return "a program: record it first, by `uftrace record` or in GDB by `tstart` and `tsave`";
  if (head.starts_with("\xc1\x1f\xfc\xc1") || head.starts_with("\xc1\xfc\x1f\xc1") || is_ctf_metadata(path))
    return fmt::format("a file of {}", kCtf);
  return {};
}

}  // namespace

Importers make_importers() {
  Importers importers;
  for (const auto make : kRooms) importers.push_back(make());
  return importers;
}

const Importer& importer_of(const std::string& input, const Importers& importers) {
  std::error_code error;
  if (!std::filesystem::exists(input, error))
    throw InputError(Location::file(input), error ? error.message() : "no such file or directory");
  const auto found = std::ranges::find_if(importers, [&](const auto& i) { return i->recognizes(input); });
  if (found != importers.end()) return **found;
  // An unreadable input is recognized by nobody.
  if (::access(input.c_str(), R_OK) != 0)
    throw InputError(Location::file(input), fmt::format("can't open: {}", std::strerror(errno)));
  std::string kinds;
  for (const auto& importer : importers)
    kinds += fmt::format("{} a {}", kinds.empty() ? "neither" : " nor", importer->name());
  if (const std::string advice = advice_for(input); !advice.empty()) kinds += fmt::format(", but {}", advice);
  throw InputError(Location::file(input), kinds);
}

}  // namespace convert
