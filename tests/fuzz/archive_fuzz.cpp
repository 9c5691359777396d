// Unpacks any bytes as a tar archive or a compressed file. The target must not crash, must not write outside
// of the temporary folder, and must leave no files there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

#include "converters/app/unpacked_inputs.h"
#include "converters/model/reading/input_error.h"
#include "fxt/support/compressed_files.h"

namespace fs = std::filesystem;

// Returns the number of files and folders in the folder, at any depth.
static std::size_t entries(const fs::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::recursive_directory_iterator(folder)) ++count;
  return count;
}

// All inputs of a run use the same folder. $TMPDIR is two levels below it, so that files outside of $TMPDIR
// are found.
static fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "archive-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  fs::create_directories(fs::path(name) / "outer" / "inner");
  if (::setenv("TMPDIR", (name + "/outer/inner").c_str(), 1) != 0) std::abort();
  return name;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fs::path folder = make_folder();
  static const convert::Importers importers = convert::make_importers();
  constexpr std::size_t kOwn = 3;  // the input file, outer and outer/inner
  const fs::path input = folder / "input.gz";
  std::ofstream(input, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  {
    convert::UnpackedInputs unpacked;
    try {
      for (const std::string& path : unpacked.recordings_in(input, importers))
        if (path != input) convert::importer_of(path, importers);
    } catch (const convert::InputError&) {  // not an archive, or a damaged one
    } catch (const fxt::FileError&) {       // damaged compressed data
    }
    if (entries(folder / "outer") > 1 + entries(folder / "outer" / "inner")) std::abort();
  }
  if (entries(folder) != kOwn) std::abort();
  return 0;
}
