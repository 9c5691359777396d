#include "fxt/support/foreign_files.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace fxt {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

std::string head_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::array<char, 64> bytes = {};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(in.gcount())};
}

constexpr auto kCtf =
    "a trace in the Common Trace Format, as LTTng writes: babeltrace2 and Trace Compass read it"sv;
constexpr auto kChrome = "a trace in Chrome's JSON: Perfetto opens it as it is"sv;
constexpr auto kElf =
    "\x7f"
    "ELF"sv;

// By the first bytes of a file.
constexpr std::array kKinds{
    std::pair("PERFILE2"sv,
              "a file of perf record: `perf data convert --to-ctf` or `--to-json` converts it"sv),
    std::pair(kElf, "a program: record it first, by `uftrace record` or in GDB by `tstart` and `tsave`"sv),
    std::pair("\xc1\x1f\xfc\xc1"sv, kCtf),
    std::pair("\xc1\xfc\x1f\xc1"sv, kCtf),
    std::pair("/* CTF "sv, kCtf),
    std::pair("\x57\x1d\xd1\x75"sv, kCtf),
    std::pair("\x75\xd1\x1d\x57"sv, kCtf),
    std::pair("# tracer:"sv, "a text of ftrace: Perfetto opens it as it is"sv),
    std::pair("PK\x03\x04"sv, "a zip archive: unpack it first"sv),
    std::pair("{\"traceEvents\""sv, kChrome),
    std::pair("[{\""sv, kChrome),
    std::pair("[\n{\""sv, kChrome),
};

}  // namespace

std::string foreign_kind_of(const std::string& path) {
  constexpr std::size_t kElfType = 16;
  constexpr char kCore = 4;
  std::error_code error;
  const bool is_directory = fs::is_directory(path, error);
  if (!is_directory && !fs::is_regular_file(path, error)) return {};
  const std::string head = head_of(is_directory ? fs::path(path) / "metadata" : fs::path(path));
  if (head.empty()) return is_directory ? "" : "an empty file";
  if (head.starts_with(kElf) && head.size() > kElfType + 1 &&
      (head[kElfType] == kCore || head[kElfType + 1] == kCore))
    return "a core file: GDB opens it";
  for (const auto& [begin, kind] : kKinds)
    if (head.starts_with(begin))
      return (kind == kCtf && !is_directory ? "a file of " : "") + std::string(kind);
  return {};
}

std::string why_no_trace(const std::string& path) {
  const auto convert = [&](const char* kind) {
    return "is a " + std::string(kind) + "; convert it with: fxt-convert " + path;
  };
  std::error_code error;
  if (head_of(fs::path(path) / "info").starts_with("Ftrace!") ||
      fs::exists(fs::path(path) / "task.txt", error))
    return convert("uftrace recording");
  if (head_of(path).starts_with("\x7fTRACE")) return convert("GDB trace file");
  const std::string kind = foreign_kind_of(path);
  return kind.empty() ? "" : "is " + kind;
}

}  // namespace fxt
