#include "converters/symbols/debug_file.h"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include <boost/crc.hpp>

#include "converters/model/reading/input_error.h"
#include "converters/symbols/elf_symbols.h"

namespace convert {
namespace {

constexpr std::string_view kDebugRoot = "/usr/lib/debug";
constexpr std::size_t kDirectoryDigits = 2;  // of the build-id; the others are the name of the file

std::unique_ptr<DebugFile> open(const std::filesystem::path& path, const std::filesystem::path& root) {
  try {
    auto found = std::make_unique<DebugFile>(path, root);
    return has_full_symbols(found->image) ? std::move(found) : nullptr;
  } catch (const InputError&) {
    return nullptr;
  }
}

std::optional<std::uint32_t> checksum_of(const RegularFile& file) {
  boost::crc_32_type sum;
  std::array<char, 65536> block;
  std::uint64_t at = 0;
  while (at < file.size()) {
    const ssize_t got = ::pread(file.descriptor(), block.data(), block.size(), static_cast<off_t>(at));
    if (got <= 0) return std::nullopt;
    sum.process_bytes(block.data(), static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
  return sum.checksum();
}

}  // namespace

std::unique_ptr<DebugFile> find_debug_file(std::string_view build_id, const std::filesystem::path& root) {
  if (build_id.size() <= kDirectoryDigits) return nullptr;
  auto found = open(fmt::format("{}/.build-id/{}/{}.debug", kDebugRoot, build_id.substr(0, kDirectoryDigits),
                                build_id.substr(kDirectoryDigits)),
                    root);
  return found != nullptr && found->image.build_id() == build_id ? std::move(found) : nullptr;
}

std::unique_ptr<DebugFile> find_debug_file(const ElfImage& image, const std::filesystem::path& path,
                                           const std::filesystem::path& root) {
  if (auto found = find_debug_file(image.build_id(), root)) return found;
  const auto link = image.debug_link();
  if (!link || link->name.empty() || link->name.find('/') != std::string::npos) return nullptr;
  const std::filesystem::path directory = path.parent_path();
  for (const std::filesystem::path& candidate :
       {directory, directory / ".debug", std::filesystem::path(kDebugRoot) / directory.relative_path()}) {
    auto found = open(candidate / link->name, root);
    if (found == nullptr) continue;
    const std::string& id = found->image.build_id();
    if (id.empty() || image.build_id().empty() ? checksum_of(found->file) == link->crc
                                               : id == image.build_id())
      return found;
  }
  return nullptr;
}

}  // namespace convert
