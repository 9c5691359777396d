#include "converters/tfile/actions/wanted_registers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

#include "converters/model/reading/text.h"
#include "fxt/utf8.h"

namespace convert::tfile {
namespace {

// The register names that GDB has on every machine. kFrames and kStatus are the registers that `fp` and `ps`
// may mean.
constexpr std::array<std::string_view, 4> kStandard{"pc", "sp", "fp", "ps"};
constexpr std::array<std::string_view, 6> kFrames{"rbp", "ebp", "x29", "r11", "s8", "r31"};
constexpr std::array<std::string_view, 4> kStatus{"eflags", "cpsr", "psr", "msr"};

// Registers of the most common machines, for traces whose layout is unknown.
constexpr std::array<std::string_view, 3> kCommon{"eip", "rip", "esp"};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The x86 registers of which `part` may be a part. "eax", "ax", "al" and "ah" are parts of "rax", and "r8d"
// is a part of "r8".
std::vector<std::string> wholes_of(std::string_view part) {
  if (part.size() < 2) return {};
  std::string core(part);
  if (part.front() == 'r' && is_number(part.substr(1, part.size() - 2)) &&
      std::string_view("dwl").find(part.back()) != std::string_view::npos)
    return {core.substr(0, core.size() - 1)};
  if (core.size() == 3 && (core.front() == 'e' || core.front() == 'r')) core.erase(0, 1);
  if (core.size() == 3 && core.back() == 'l') core.pop_back();  // sil
  if (core.size() != 2) return {};
  if (core.back() == 'l' || core.back() == 'h') core.back() = 'x';
  return {"r" + core, "e" + core};
}

// Returns the pieces of a vector register. For example, "ymm3" consists of "xmm3" and "ymm3h".
std::vector<std::string> vector_pieces_of(std::string_view name) {
  if (name.size() < 4 || !name.substr(1).starts_with("mm") || !is_number(name.substr(3))) return {};
  const std::string number(name.substr(3));
  std::vector<std::string> pieces{"xmm" + number};
  if (name.front() == 'y' || name.front() == 'z')
    pieces.insert(pieces.end(), {"ymm" + number + "h", "ymm" + number});
  if (name.front() == 'z') pieces.insert(pieces.end(), {"zmm" + number + "h", "zmm" + number});
  return pieces;
}

bool has(std::string_view mask, unsigned number) {
  const std::size_t digit = number / 4;
  if (digit >= mask.size()) return false;
  const char c = mask[mask.size() - 1 - digit];
  const int value = is_digit(c) ? c - '0' : fxt::lower(c) - 'a' + 10;
  return (value >> (number % 4) & 1) != 0;
}

}  // namespace

std::vector<const Register*> registers_named(std::string_view name, const RegisterLayout* layout) {
  std::vector<const Register*> found;
  if (layout == nullptr) return found;
  const auto add = [&](const Register* reg) {
    if (reg != nullptr && std::ranges::find(found, reg) == found.end()) found.push_back(reg);
  };
  const auto add_first = [&](const auto& names) {
    for (const std::string_view candidate : names)
      if (found.empty()) add(layout->find(candidate));
  };
  add(layout->find(name));
  if (!found.empty()) return found;
  if (name == "pc") add(layout->pc());
  if (name == "sp") add(layout->sp());
  if (name == "fp") add_first(kFrames);
  if (name == "ps") add_first(kStatus);
  if (layout->architecture().starts_with("i386")) {
    add_first(wholes_of(name));
    for (const std::string& piece : vector_pieces_of(name)) add(layout->find(piece));
  }
  return found;
}

bool is_in_mask(std::span<const TracepointAction> actions, const Register& reg) {
  return std::ranges::any_of(actions, [&](const TracepointAction& action) {
    return action.kind == TracepointAction::Kind::Registers && has(action.mask, reg.number);
  });
}

bool is_register_name(std::string_view name, const RegisterLayout* layout) {
  if (std::ranges::find(kStandard, name) != kStandard.end()) return true;
  if (layout == nullptr) return std::ranges::find(kCommon, name) != kCommon.end();
  return !registers_named(name, layout).empty();
}

WantedRegisters wanted_registers(std::span<const CollectItem> items,
                                 std::span<const TracepointAction> actions, bool has_commands,
                                 const RegisterLayout* layout) {
  WantedRegisters wanted;
  if (layout == nullptr) return wanted;
  for (const CollectItem& item : items) {
    if (item.kind != CollectItem::Kind::Registers) continue;
    const std::string_view name = std::string_view(item.text).substr(1);
    wanted.all |= name.starts_with("reg");
    std::ranges::copy(registers_named(name, layout), std::back_inserter(wanted.named));
  }
  std::ranges::sort(wanted.named, std::less<>());
  wanted.named.erase(std::unique(wanted.named.begin(), wanted.named.end()), wanted.named.end());
  for (const TracepointAction& action : actions) {
    if (action.kind != TracepointAction::Kind::Registers) continue;
    wanted.all |= !has_commands || std::ranges::all_of(layout->general(), [&](std::uint32_t i) {
      return has(action.mask, layout->registers()[i].number);
    });
  }
  return wanted;
}

}  // namespace convert::tfile
