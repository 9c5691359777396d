// Reads any bytes as the index of a recording, and also as a single mark of an index. The target must not
// crash. If the index is valid, writing it again must give the same bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "converters/uftrace/records/record_index.h"
#include "tests/fuzz/uftrace_convert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convert::uftrace;
  static const convert::InputFile file = [] {
    const std::filesystem::path path = fuzz_directory() / "100.dat";
    std::string records;
    for (std::uint64_t depth = 0; depth < 64; ++depth)
      for (const std::uint64_t word : {depth, std::uint64_t{0x401000} << 16 | depth << 6 | 5 << 3})
        records.append(reinterpret_cast<const char*>(&word), sizeof word);
    write_file(path, records);
    return convert::InputFile(fxt::FilePlace(path));
  }();
  const auto bytes = std::as_bytes(std::span(data, size));
  if (const auto index = RecordIndex::parse(bytes); index && !std::ranges::equal(index->bytes(), bytes))
    std::abort();
  std::vector<std::uint64_t> words(size / sizeof(std::uint64_t));
  if (words.size() < 2) return 0;
  std::memcpy(words.data(), data, words.size() * sizeof(std::uint64_t));
  IndexMark mark{.offset = words[0], .time_ns = words[1]};
  for (std::size_t i = 2; i + 1 < words.size(); i += 2)
    mark.open.push_back({.offset = words[i], .bytes = words[i + 1]});
  records_of(mark, file, {});
  return 0;
}
