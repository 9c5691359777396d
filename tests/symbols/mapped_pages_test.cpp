#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <libelf.h>
#include <numeric>
#include <span>
#include <unistd.h>
#include <vector>

#include "converters/symbols/debug_sections.h"

namespace convert {
namespace {

// Returns how many pages of mapped files are in memory.
std::size_t pages_of_files() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0, shared = 0;
  statm >> all >> resident >> shared;
  return shared;
}

std::vector<Elf_Data> sections_of(Elf* elf) {
  std::vector<Elf_Data> sections;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
    if (const Elf_Data* const data = elf_rawdata(section, nullptr); data != nullptr && data->d_buf != nullptr)
      sections.push_back(*data);
  return sections;
}

unsigned sum_of(const std::vector<Elf_Data>& sections) {
  unsigned sum = 0;
  for (const Elf_Data& data : sections) {
    const std::span bytes(static_cast<const unsigned char*>(data.d_buf), data.d_size);
    sum = std::accumulate(bytes.begin(), bytes.end(), sum);
  }
  return sum;
}

// Reads all sections of this test program twice: before and after their pages are released.
class MappedPages : public testing::TestWithParam<Elf_Cmd> {};

TEST_P(MappedPages, BytesStayTheSame) {
  elf_version(EV_CURRENT);
  const int file = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  Elf* const elf = elf_begin(file, GetParam(), nullptr);
  ASSERT_NE(elf, nullptr);
  const std::vector<Elf_Data> sections = sections_of(elf);
  const unsigned sum = sum_of(sections);
  const std::size_t before = pages_of_files();
  release_pages(elf);
  if (GetParam() != ELF_C_READ) {
    EXPECT_LT(pages_of_files() + 100, before);
  }
  EXPECT_EQ(sum_of(sections), sum);
  elf_end(elf);
  ::close(file);
}

INSTANTIATE_TEST_SUITE_P(Commands, MappedPages,
                         testing::Values(ELF_C_READ, ELF_C_READ_MMAP, ELF_C_READ_MMAP_PRIVATE));

TEST(NoMappedPages, NothingIsReleasedWithoutAFile) { release_pages(nullptr); }

}  // namespace
}  // namespace convert
