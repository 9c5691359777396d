#include "converters/symbols/elf_image.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ios>
#include <span>
#include <system_error>
#include <unistd.h>

#include <boost/endian/conversion.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>

#include "converters/model/reading/input_error.h"
#include "converters/model/reading/stored_bytes.h"
#include "fxt/support/memory_limit.h"

namespace convert {
namespace {

constexpr fxt::Limit kSection{"MiB of a section of a program", 4 * fxt::kMiB, 1 * fxt::kKiB};
constexpr fxt::Limit kUnpacked{"MiB of unpacked sections of a program", 64 * fxt::kMiB, 12 * fxt::kKiB};
constexpr fxt::Limit kLineTables{"MiB of line tables of a program", 3 * fxt::kMiB, 341};
constexpr fxt::Limit kSymbolNames{"MiB of names of symbols", 48 * fxt::kMiB, 4 * fxt::kKiB};
constexpr std::string_view kUnreadableSection = "the header of a section can't be read";
constexpr std::string_view kUnendedText = "the last text in a section of debug information has no end";
constexpr ssize_t kMaxBuildIdBytes = 64;
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kAddressLimit = std::uint64_t{1} << 63;

[[noreturn]] void refuse(const InputFile& file, std::string_view problem) {
  throw InputError(Location::file(file.path()), problem);
}

template <typename Header>
bool lies_inside(std::uint64_t offset, std::uint64_t count, std::uint64_t entry_bytes, std::uint64_t size) {
  if (count == 0) return true;
  return entry_bytes == sizeof(Header) && offset <= size && count <= (size - offset) / sizeof(Header);
}

// Checks the sizes of tables before libelf allocates memory for them. Rejects files with more sections than
// the header can count, because they are not programs.
template <typename Header, typename Segment, typename Section, typename Translate>
bool is_sound(std::span<const char> bytes, std::uint64_t size, unsigned char order, Translate translate) {
  if (bytes.size() < sizeof(Header)) return false;
  Header header;
  Elf_Data from{}, to{};
  from.d_buf = const_cast<char*>(bytes.data());
  from.d_size = to.d_size = sizeof header;
  from.d_type = to.d_type = ELF_T_EHDR;
  from.d_version = to.d_version = EV_CURRENT;
  to.d_buf = &header;
  if (translate(&to, &from, order) == nullptr) return false;
  return (header.e_shnum != 0 || header.e_shoff == 0) && header.e_phnum != PN_XNUM &&
         header.e_shstrndx != SHN_XINDEX &&
         lies_inside<Segment>(header.e_phoff, header.e_phnum, header.e_phentsize, size) &&
         lies_inside<Section>(header.e_shoff, header.e_shnum, header.e_shentsize, size);
}

// True if a section contains texts of DWARF, each of which ends with a NUL.
bool holds_texts(const char* section) {
  constexpr std::array<std::string_view, 4> kTexts{".debug_str", ".debug_line_str", ".debug_str.dwo",
                                                   ".debug_line_str.dwo"};
  return section != nullptr && std::ranges::find(kTexts, section) != kTexts.end();
}

constexpr std::uint64_t kMemoryPerByte = 24;  // memory for names, lines and types, for each byte of the file
constexpr std::string_view kMiniDebugInfo = ".gnu_debugdata";

bool is_old_compressed(const char* section) {
  return section != nullptr && std::string_view(section).starts_with(".zdebug");
}

bool has_lines(const char* section) {
  constexpr std::array<std::string_view, 3> kLines{".debug_line", ".debug_line.dwo", ".zdebug_line"};
  return section != nullptr && std::ranges::find(kLines, section) != kLines.end();
}

}  // namespace

ElfImage::ElfImage(const InputFile& file, Accepts accepts) : file_(file) {
  elf_version(EV_CURRENT);
  read_header();
  fxt::allow_memory(file.path(), file.size() * kMemoryPerByte);
  elf_ = elf_begin(file.descriptor(), ELF_C_READ, nullptr);
  try {
    GElf_Ehdr header;
    if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF || gelf_getehdr(elf_, &header) == nullptr)
      refuse(file, "is not an ELF file");
    if (accepts == Accepts::Programs && header.e_type != ET_EXEC && header.e_type != ET_DYN)
      refuse(file, "is not a program or library");
    machine_ = header.e_machine;
    read_segments();
    read_sections();
    read_build_id();
  } catch (...) {
    elf_end(elf_);
    throw;
  }
}

ElfImage::~ElfImage() { elf_end(elf_); }

void ElfImage::read_header() {
  std::array<char, sizeof(Elf64_Ehdr)> bytes{};
  const ssize_t got = ::pread(file_.descriptor(), bytes.data(), bytes.size(), 0);
  if (got < 0)
    throw InputError(Location::file(file_.path()), fmt::format("can't read: {}", std::strerror(errno)));
  if (got < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) refuse(file_, "is not an ELF file");
  const std::span<const char> head(bytes.data(), static_cast<std::size_t>(got));
  const auto order = static_cast<unsigned char>(bytes[EI_DATA]);
  const bool is_known = order == ELFDATA2LSB || order == ELFDATA2MSB;
  const bool is_sound_64 = bytes[EI_CLASS] == ELFCLASS64 && is_sound<Elf64_Ehdr, Elf64_Phdr, Elf64_Shdr>(
                                                                head, file_.size(), order, elf64_xlatetom);
  const bool is_sound_32 = bytes[EI_CLASS] == ELFCLASS32 && is_sound<Elf32_Ehdr, Elf32_Phdr, Elf32_Shdr>(
                                                                head, file_.size(), order, elf32_xlatetom);
  if (!is_known || (!is_sound_64 && !is_sound_32)) refuse(file_, "is a damaged ELF file");
}

void ElfImage::read_segments() {
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) return;
  std::uint64_t first = kAddressLimit;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD) continue;
    if (segment.p_vaddr >= kAddressLimit || segment.p_filesz >= kAddressLimit) continue;
    first = std::min(first, segment.p_vaddr);
    // Not p_memsz: memory after the bytes of the file is in a separate mapping without a name.
    if (segment.p_filesz != 0) end_ = std::max(end_, segment.p_vaddr + segment.p_filesz);
  }
  base_ = first == kAddressLimit ? 0 : first / kPageBytes * kPageBytes;
  end_ = std::max(base_, (end_ + kPageBytes - 1) / kPageBytes * kPageBytes);
}

void ElfImage::read_sections() {
  GElf_Shdr header;
  if (elf_getshdrstrndx(elf_, &names_section_) != 0) names_section_ = 0;
  if (gelf_getshdr(elf_getscn(elf_, names_section_), &header) != nullptr &&
      (header.sh_flags & SHF_COMPRESSED) != 0)
    refuse(file_, "is a damaged ELF file");  // libelf would allocate any size that the section claims
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf_, names_section_, header.sh_name);
    sections_.push_back({.index = elf_ndxscn(section),
                         .type = header.sh_type,
                         .address = header.sh_addr,
                         .size = header.sh_size,
                         .entry_size = header.sh_entsize,
                         .link = header.sh_link,
                         .name = name != nullptr ? name : ""});
  }
}

void ElfImage::read_build_id() {
  const void* id = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &id);
  if (size <= 0 || size > kMaxBuildIdBytes) return;
  const std::span bytes(static_cast<const unsigned char*>(id), static_cast<std::size_t>(size));
  build_id_ = fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::string ElfImage::unsafe_for_libdw() const {
  const std::uint64_t stored = stored_bytes(file_);
  fxt::Budget unpacked(kUnpacked, stored), lines(kLineTables, stored);
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return std::string(kUnreadableSection);
    const char* const name = elf_strptr(elf_, names_section_, header.sh_name);
    std::uint64_t size = header.sh_type == SHT_NOBITS ? 0 : header.sh_size;
    const bool is_compressed = (header.sh_flags & SHF_COMPRESSED) != 0;
    if (is_compressed) {
      GElf_Chdr compressed;
      if (gelf_getchdr(section, &compressed) == nullptr) return std::string(kUnreadableSection);
      size = compressed.ch_size;
      if (!unpacked.take(size)) return unpacked.exceeded();
    } else if (is_old_compressed(name)) {
      size = old_compressed_size(header);
      if (!unpacked.take(size)) return unpacked.exceeded();
    } else if (name != nullptr && kMiniDebugInfo == name) {
      if (std::string problem = unpack_mini(header, unpacked); !problem.empty()) return problem;
    }
    if (has_lines(name) && !lines.take(size)) return lines.exceeded();
    if (!holds_texts(name)) continue;
    if (is_compressed && elf_compress(section, 0, 0) < 0) continue;  // libdw can't decompress it either
    std::array<std::byte, 1> last{};
    if (is_compressed) {
      const Elf_Data* const texts = elf_rawdata(section, nullptr);
      if (texts == nullptr || texts->d_buf == nullptr || texts->d_size == 0) continue;
      last.front() = static_cast<const std::byte*>(texts->d_buf)[texts->d_size - 1];
    } else {
      if (size == 0 || size > file_.size() || header.sh_offset > file_.size() - size) continue;  // unreadable
      // Reads only the last byte, because libelf would copy the whole section.
      file_.read_available(header.sh_offset + size - 1, last);
    }
    if (last.front() != std::byte{0}) return std::string(kUnendedText);
  }
  return {};
}

// The bytes of a section as in the file, at most `limit` of them.
std::vector<std::byte> ElfImage::packed_bytes(const GElf_Shdr& header, std::uint64_t limit) const {
  std::vector<std::byte> bytes(std::min({header.sh_size, limit, file_.size()}));
  bytes.resize(file_.read_available(header.sh_offset, bytes).size());
  return bytes;
}

// Returns the unpacked size of a section whose name begins with ".zdebug". The section starts with "ZLIB" and
// with this size, a big-endian number of 8 bytes.
std::uint64_t ElfImage::old_compressed_size(const GElf_Shdr& header) const {
  constexpr std::size_t kMark = 4, kSize = 8;
  const auto bytes = packed_bytes(header, kMark + kSize);
  if (bytes.size() < kMark + kSize) return 0;
  return boost::endian::load_big_u64(reinterpret_cast<const unsigned char*>(bytes.data()) + kMark);
}

// Unpacks mini debug information, whose unpacked size is not recorded. Returns a problem, or an empty text.
std::string ElfImage::unpack_mini(const GElf_Shdr& header, fxt::Budget& unpacked) const {
  namespace io = boost::iostreams;
  constexpr std::string_view kXz(
      "\xfd"
      "7zXZ\0",
      6);
  const std::vector<std::byte> packed = packed_bytes(header, file_.size());
  const auto* const text = reinterpret_cast<const char*>(packed.data());
  if (!std::string_view(text, packed.size()).starts_with(kXz)) return std::string(kUnreadableSection);
  io::filtering_istreambuf stream;
  stream.push(io::lzma_decompressor());
  stream.push(io::array_source(text, packed.size()));
  std::array<char, 65536> block;
  try {
    while (true) {
      const std::streamsize got = stream.sgetn(block.data(), block.size());
      if (got <= 0) return {};
      if (!unpacked.take(static_cast<std::uint64_t>(got))) return unpacked.exceeded();
    }
  } catch (const std::ios_base::failure&) {
    return {};  // the data are damaged here, so libdwfl stops here as well
  }
}

fxt::Budget ElfImage::name_budget() const { return fxt::Budget(kSymbolNames, stored_bytes(file_)); }

const ElfSection* ElfImage::find(std::uint32_t type) const {
  const auto found = std::ranges::find(sections_, type, &ElfSection::type);
  return found == sections_.end() ? nullptr : &*found;
}

const ElfSection* ElfImage::find(std::string_view name) const {
  const auto found = std::ranges::find(sections_, name, &ElfSection::name);
  return found == sections_.end() ? nullptr : &*found;
}

Elf_Data* ElfImage::data(const ElfSection& section) const {
  Elf_Scn* const found = elf_getscn(elf_, section.index);
  GElf_Shdr header;
  if (found == nullptr || gelf_getshdr(found, &header) == nullptr) return nullptr;
  const bool is_in_file = header.sh_type != SHT_NOBITS && (header.sh_flags & SHF_COMPRESSED) == 0 &&
                          header.sh_size <= kSection.of(stored_bytes(file_)) &&
                          header.sh_size <= file_.size() && header.sh_offset <= file_.size() - header.sh_size;
  if (!is_in_file) return nullptr;
  Elf_Data* const contents = elf_getdata(found, nullptr);
  return contents != nullptr && contents->d_buf != nullptr ? contents : nullptr;
}

std::string_view ElfImage::bytes(const ElfSection& section) const {
  const Elf_Data* const contents = data(section);
  if (contents == nullptr) return {};
  return {static_cast<const char*>(contents->d_buf), contents->d_size};
}

std::string_view ElfImage::strings_of(const ElfSection& table) const {
  const auto found = std::ranges::find(sections_, table.link, &ElfSection::index);
  return found == sections_.end() ? std::string_view{} : bytes(*found);
}

std::optional<ElfImage::DebugLink> ElfImage::debug_link() const {
  GElf_Word crc = 0;
  const char* const name = dwelf_elf_gnu_debuglink(elf_, &crc);
  return name != nullptr ? std::optional(DebugLink{.name = name, .crc = crc}) : std::nullopt;
}

std::string unsafe_for_libdw(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {};
  if (!std::filesystem::is_regular_file(path, error)) return "not a regular file";
  try {
    const InputFile file{fxt::FilePlace(path)};
    return ElfImage(file, ElfImage::Accepts::AnyType).unsafe_for_libdw();
  } catch (const InputError&) {
    return {};  // libdw can't read it either
  }
}

}  // namespace convert
