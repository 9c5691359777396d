#include "converters/tfile/description/register_layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace convert::tfile {
namespace {

struct RegisterRole {
  std::string_view architecture;  // prefix of the architecture's name; empty for any architecture
  std::string_view name;
};
constexpr std::array kPcNames{RegisterRole{"", "rip"}, RegisterRole{"", "eip"}, RegisterRole{"", "pc"},
                              RegisterRole{"s390", "pswa"}};
constexpr std::array kSpNames{RegisterRole{"", "rsp"},     RegisterRole{"", "esp"},
                              RegisterRole{"", "sp"},      RegisterRole{"s390", "r15"},
                              RegisterRole{"mips", "r29"}, RegisterRole{"powerpc", "r1"},
                              RegisterRole{"riscv", "x2"}, RegisterRole{"arm", "r13"},
                              RegisterRole{"sh", "r15"},   RegisterRole{"sparc", "o6"}};

// The registers in which glibc stores the address of the thread's own data.
struct ThreadRole {
  std::string_view architecture;
  std::string_view high, low;
  std::string_view shown;
};
constexpr std::array kThreadPointers{
    ThreadRole{"i386:x", "fs_base", "fs_base", "fs"},
    ThreadRole{"aarch64", "tpidr", "tpidr", "tpidr"},
    ThreadRole{"arm", "tpidruro", "tpidruro", "tpidruro"},
    ThreadRole{"riscv", "tp", "tp", "tp"},
    ThreadRole{"powerpc:common64", "r13", "r13", "r13"},
    ThreadRole{"powerpc", "r2", "r2", "r2"},
    ThreadRole{"s390:64", "acr0", "acr1", "acr0:acr1"},
    ThreadRole{"s390", "acr0", "acr0", "acr0"},
    ThreadRole{"sparc", "g7", "g7", "g7"},
};

}  // namespace

RegisterLayout::RegisterLayout(std::string architecture, std::vector<Register> registers)
    : architecture_(std::move(architecture)), registers_(std::move(registers)) {
  for (Register& reg : registers_) {
    reg.offset = size_;
    size_ += reg.size;
  }
  for (std::uint32_t i = 0; i < registers_.size(); ++i)
    if (registers_[i].is_general) general_.push_back(i);
  by_name_.resize(registers_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::ranges::stable_sort(by_name_, {},
                           [&](std::uint32_t i) { return std::string_view(registers_[i].name); });
  find_roles();
}

void RegisterLayout::find_roles() {
  const auto first = [&](std::span<const RegisterRole> roles) -> std::optional<std::size_t> {
    for (const RegisterRole& role : roles)
      if (architecture_.starts_with(role.architecture))
        if (const auto i = index_of(role.name); i && registers_[*i].size <= 8) return i;
    return std::nullopt;
  };
  pc_ = first(kPcNames);
  sp_ = first(kSpNames);
  for (const ThreadRole& role : kThreadPointers) {
    if (!architecture_.starts_with(role.architecture)) continue;
    const auto high = index_of(role.high), low = index_of(role.low);
    if (high && low && registers_[*high].size <= 8 && registers_[*low].size <= 8)
      thread_pointer_ = ThreadPointer{std::string(role.shown), *high, *low};
    break;
  }
}

std::optional<std::size_t> RegisterLayout::index_of(std::string_view name) const {
  const auto name_of = [&](std::uint32_t i) { return std::string_view(registers_[i].name); };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found != by_name_.end() && name_of(*found) == name ? std::optional<std::size_t>(*found)
                                                            : std::nullopt;
}

const Register* RegisterLayout::find(std::string_view name) const { return register_at(index_of(name)); }

const Register* RegisterLayout::by_number(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(registers_, number, {}, &Register::number);
  return found != registers_.end() && found->number == number ? &*found : nullptr;
}

std::optional<std::endian> RegisterLayout::byte_order() const {
  static constexpr std::array<std::string_view, 8> kLittle{"i386",  "riscv", "loongarch", "Loongarch",
                                                           "alpha", "ia64",  "avr",       "nios2"};
  static constexpr std::array<std::string_view, 5> kBig{"s390", "sparc", "m68k", "hppa", "or1k"};
  const auto is_prefix = [&](std::string_view name) { return architecture_.starts_with(name); };
  if (std::ranges::any_of(kLittle, is_prefix)) return std::endian::little;
  if (std::ranges::any_of(kBig, is_prefix)) return std::endian::big;
  return std::nullopt;
}

std::optional<std::uint64_t> pc_of(const RegisterLayout& layout, std::span<const std::byte> block,
                                   std::endian order) {
  const Register* pc = layout.pc();
  if (pc == nullptr) return std::nullopt;
  const auto bytes = bytes_of(*pc, block);
  if (bytes.empty()) return std::nullopt;
  const std::uint64_t address = unsigned_bits(bytes, order);
  const bool is_31_bit = pc->name == "pswa" && pc->size == 4;
  return is_31_bit ? address & 0x7fff'ffff : address;
}

}  // namespace convert::tfile
