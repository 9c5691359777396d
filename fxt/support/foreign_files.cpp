#include "fxt/support/foreign_files.h"

#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "fxt/support/file_place.h"

namespace fxt {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

std::string head_of(const FilePlace& place) {
  std::array<char, kKindBytes> bytes = {};
  const auto opened = place.open();
  const ssize_t got =
      opened.descriptor.is_open() ? ::pread(opened.descriptor.number(), bytes.data(), bytes.size(), 0) : 0;
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

constexpr auto kCtf =
    "a trace in the Common Trace Format, as LTTng writes; open it with babeltrace2 or Trace Compass"sv;
constexpr auto kChrome = "a trace in Chrome's JSON; open it in Perfetto"sv;
constexpr auto kElf =
    "\x7f"
    "ELF"sv;

// File kinds by their first bytes.
constexpr std::array kKinds{
    std::pair("PERFILE2"sv,
              "a file of perf record; convert it with `perf data convert --to-ctf` or `--to-json`"sv),
    std::pair(kElf,
              "a program; record it first, with `uftrace record`, or in GDB with `tstart` and `tsave`"sv),
    std::pair("\xc1\x1f\xfc\xc1"sv, kCtf),
    std::pair("\xc1\xfc\x1f\xc1"sv, kCtf),
    std::pair("/* CTF "sv, kCtf),
    std::pair("\x57\x1d\xd1\x75"sv, kCtf),
    std::pair("\x75\xd1\x1d\x57"sv, kCtf),
    std::pair("# tracer:"sv, "a text file of ftrace; open it in Perfetto"sv),
    std::pair("PK\x03\x04"sv, "a zip archive; unpack it first"sv),
    std::pair("\x04\x22\x4d\x18"sv, "compressed with lz4; unpack it first"sv),
    std::pair("{\"traceEvents\""sv, kChrome),
    std::pair("{\"displayTimeUnit\""sv, kChrome),
    std::pair("[{\""sv, kChrome),
    std::pair("[\n{\""sv, kChrome),
};

std::string kind_of(std::string_view head, bool is_directory) {
  constexpr std::size_t kElfType = 16, kTarMagic = 257;
  constexpr char kCore = 4;
  if (head.starts_with(kElf) && head.size() > kElfType + 1 &&
      (head[kElfType] == kCore || head[kElfType + 1] == kCore))
    return "a core file; open it in GDB";
  for (const auto& [begin, kind] : kKinds)
    if (head.starts_with(begin))
      return (kind == kCtf && !is_directory ? "a file of " : "") + std::string(kind);
  if (head.size() > kTarMagic && head.substr(kTarMagic).starts_with("ustar"))
    return "a tar archive; unpack it first, or convert the recordings in it with fxt-convert";
  return {};
}

}  // namespace

std::string recording_of(const std::string& path) {
  std::error_code error;
  fs::path directory(path);
  if (!fs::is_directory(directory, error))
    directory = directory.has_parent_path() ? directory.parent_path() : ".";
  const auto folder = std::make_shared<const Folder>(directory);
  const bool is_recording =
      head_of(FilePlace::beneath(folder, "info")).starts_with("Ftrace!") ||
      FilePlace::beneath(folder, "task.txt").status().kind == FilePlace::Status::Kind::Regular;
  return is_recording ? directory.string() : "";
}

std::string_view advice_for_url(std::string_view path) {
  return path.find("://") == std::string_view::npos ? "" : "; download the file first";
}

std::string foreign_kind_of(const std::string& path) {
  std::error_code error;
  const bool is_directory = fs::is_directory(path, error);
  if (!is_directory && !fs::is_regular_file(path, error)) return {};
  const std::string head = head_of(
      is_directory ? FilePlace::beneath(std::make_shared<const Folder>(path), "metadata") : FilePlace(path));
  if (head.empty()) return is_directory ? "" : "an empty file";
  return kind_of(head, is_directory);
}

std::string why_no_trace(const std::string& path, std::string_view head) {
  if (head.starts_with("\x7fTRACE")) return "is a GDB trace file; convert it with: fxt-convert " + path;
  if (const std::string kind = kind_of(head, false); !kind.empty()) return "is " + kind;
  const std::string recording = recording_of(path);
  return recording.empty()
             ? ""
             : "is a file of a uftrace recording; convert its directory with: fxt-convert " + recording;
}

std::string why_no_trace(const std::string& directory) {
  if (!recording_of(directory).empty())
    return "is a uftrace recording; convert it with: fxt-convert " + directory;
  const std::string kind = foreign_kind_of(directory);
  return kind.empty() ? "" : "is " + kind;
}

}  // namespace fxt
