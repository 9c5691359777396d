// A temporary directory with files for a test. The destructor removes it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace convert::uftrace {

class TextRecording {
 public:
  TextRecording() {
    std::string pattern = (std::filesystem::temp_directory_path() / "recording-XXXXXX").native();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~TextRecording() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TextRecording(const TextRecording&) = delete;
  TextRecording& operator=(const TextRecording&) = delete;

  const std::filesystem::path& path() const { return path_; }

  TextRecording& file(std::string_view name, std::string_view content) {
    std::filesystem::remove(path_ / name);  // truncating the old file may be slow
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace convert::uftrace
