#include "converters/app/unsupported_inputs.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "converters/app/output_rules.h"
#include "fxt/tools/files/trace_file.h"

namespace convert {
namespace {

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

// As text or in packets, of either byte order.
bool is_ctf_metadata(const fs::path& file) {
  const std::string head = head_of(file);
  return head.starts_with("/* CTF ") || head.starts_with("\x57\x1d\xd1\x75") ||
         head.starts_with("\x75\xd1\x1d\x57");
}

}  // namespace

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

}  // namespace convert
