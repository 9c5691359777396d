#include "converters/app/importers.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
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
#ifdef FXT_CONVERT_HAS_TFILE
    &tfile::make_importer,
#endif
};

namespace fs = std::filesystem;

std::string head_of(const fs::path& path) {
  std::array<char, 64> bytes = {};
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(in.gcount())};
}

constexpr std::string_view kCtf =
    "a trace in the Common Trace Format, as LTTng writes: babeltrace2 and Trace Compass read it";

// What a file is that begins like this, and what to do with it; empty if that is not known.
std::string_view kind_of(std::string_view head) {
  using namespace std::string_view_literals;
  constexpr std::size_t kElfType = 16;
  constexpr char kCore = 4;
  if (head.empty()) return "an empty file";
  if (head.starts_with("PERFILE2"))
    return "a file of perf record: `perf data convert --to-ctf` or `--to-json` is its way";
  if (head.starts_with("\x7f"
                       "ELF")) {
    if (head.size() > kElfType + 1 && (head[kElfType] == kCore || head[kElfType + 1] == kCore))
      return "a core file: GDB opens it";
    return "a program: record it first, by `uftrace record` or in GDB by `tstart` and `tsave`";
  }
  for (const std::string_view ctf :
       {"\xc1\x1f\xfc\xc1"sv, "\xc1\xfc\x1f\xc1"sv, "/* CTF "sv, "\x57\x1d\xd1\x75"sv, "\x75\xd1\x1d\x57"sv})
    if (head.starts_with(ctf)) return kCtf;
  if (head.starts_with("# tracer:")) return "a text of ftrace: Perfetto opens it as it is";
  if (head.starts_with("{\"traceEvents\"") || head.starts_with("[{\"") || head.starts_with("[\n{\""))
    return "a trace in Chrome's JSON: Perfetto opens it as it is";
  return {};
}

// What an input that no importer recognizes is, and what to do with it.
std::string advice_for(const std::string& input, const Importers& importers) {
  std::error_code error;
  const fs::path path(input);
  if (fs::is_directory(path, error) && fs::is_empty(path, error)) return "an empty directory";
  for (const auto& importer : importers)
    if (std::string advice = importer->advice_for(path); !advice.empty()) return advice;
  if (fs::is_directory(path, error)) {
    return fs::exists(path / "metadata", error) ? std::string(kind_of(head_of(path / "metadata"))) : "";
  }
  if (!fs::is_regular_file(path, error)) return "neither a file nor a directory";
  if (fxt::tools::is_fxt(input))
    return "an FXT trace already: viewers open it, fxt-dump prints it, fxt-cut takes parts of it";
  const std::string_view kind = kind_of(head_of(path));
  return fmt::format("{}{}", kind == kCtf ? "a file of " : "", kind);
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
  std::vector<std::string_view> names;
  for (const auto& importer : importers) names.push_back(importer->name());
  std::string kinds =
      fmt::format("{} a {}", names.size() == 1 ? "not" : "neither", fmt::join(names, " nor a "));
  if (const std::string advice = advice_for(input, importers); !advice.empty())
    kinds += fmt::format(", but {}", advice);
  throw InputError(Location::file(input), kinds);
}

}  // namespace convert
