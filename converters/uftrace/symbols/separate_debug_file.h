// The file with what was stripped from a program or library, where distributions put it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "converters/uftrace/symbols/elf_image.h"

namespace convert::uftrace {

struct SeparateDebugFile {
  RegularFile file;
  ElfImage image;
  SeparateDebugFile(const std::filesystem::path& path, const std::filesystem::path& root)
      : file(path, root), image(file) {}
};

// By its build-id, in hex; null if there is none.
std::unique_ptr<SeparateDebugFile> find_separate_debug_file(std::string_view build_id,
                                                            const std::filesystem::path& root);
// By the build-id of `image`, or by the name that it gives; `path` is that of `image`.
std::unique_ptr<SeparateDebugFile> find_separate_debug_file(const ElfImage& image,
                                                            const std::filesystem::path& path,
                                                            const std::filesystem::path& root);

}  // namespace convert::uftrace
