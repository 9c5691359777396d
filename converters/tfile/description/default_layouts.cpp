// The registers of machines whose trace files contain no target description.
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/register_layout.h"

namespace convert::tfile {
namespace {

// The registers of an architecture, in the order in which a frame's register block has them. The text has
// these elements:
// - "i8:" is the form and the size in bytes of the registers that follow. The forms are i (signed),
//   u (unsigned), p (pointer), e (x86 flags), f (float), b (bytes) and c (control register: an integer
//   that is not general).
// - "@57" is the number of the next register.
// - "r0-r15" is a range of names.
// - "_" is a register without a name.
struct LayoutText {
  std::string_view architecture;
  std::string_view registers;
  std::array<std::size_t, 6> typical_sizes;
};

constexpr std::array kTexts{
    LayoutText{
        "i386:x86-64",
        "i8: rax rbx rcx rdx rsi rdi p8: rbp rsp i8: r8-r15 p8: rip e4: eflags i4: cs ss ds es fs gs b10: "
        "st0-st7 c4: fctrl fstat ftag fiseg fioff foseg fooff fop b16: xmm0-xmm15 c4: mxcsr i8: orig_rax "
        "u8: fs_base gs_base b16: ymm0h-ymm15h @76 b16: xmm16-xmm31 ymm16h-ymm31h c8: k0-k7 b32: "
        "zmm0h-zmm31h",
        {0x94, 0x218, 0x230, 0x330, 0x970}},
    LayoutText{
        "i386",
        "i4: eax ecx edx ebx p4: esp ebp i4: esi edi p4: eip e4: eflags i4: cs ss ds es fs gs b10: st0-st7 "
        "c4: fctrl fstat ftag fiseg fioff foseg fooff fop b16: xmm0-xmm7 c4: mxcsr i4: orig_eax b16: "
        "ymm0h-ymm7h c8: k0-k7 b32: zmm0h-zmm7h",
        {0x40, 0x134, 0x138, 0x1b8, 0x2f8}},
    LayoutText{"aarch64", "i8: x0-x30 p8: sp pc c4: cpsr b16: v0-v31 c4: fpsr fpcr", {0x314}},
    LayoutText{"arm", "u4: r0-r12 p4: sp u4: lr p4: pc b12: f0-f7 c4: fps u4: cpsr", {0xa8, 0x44}},
    LayoutText{
        "i386:x64-32",
        "i8: rax rbx rcx rdx rsi rdi rbp rsp r8-r15 p8: rip e4: eflags i4: cs ss ds es fs gs b10: st0-st7 "
        "c4: fctrl fstat ftag fiseg fioff foseg fooff fop b16: xmm0-xmm15 c4: mxcsr i8: orig_rax u8: "
        "fs_base gs_base",
        {}},
    LayoutText{
        "mips", "i4: r0-r31 status lo hi badvaddr cause p4: pc f4: f0-f31 c4: fcsr fir _ ", {0x98, 0x124}},
    LayoutText{"mips:isa64",
               "i8: r0-r31 status lo hi badvaddr cause p8: pc f8: f0-f31 c8: fcsr fir _",
               {0x130, 0x248}},
    LayoutText{
        "powerpc:common64",
        "u8: r0-r31 f8: f0-f31 p8: pc u8: msr u4: cr p8: lr u8: ctr u4: xer c4: fpscr b16: vr0-vr31 c4: "
        "vscr vrsave",
        {0x22c}},
    LayoutText{
        "powerpc:common",
        "u4: r0-r31 f8: f0-f31 p4: pc u4: msr cr p4: lr u4: ctr xer c4: fpscr b16: vr0-vr31 c4: vscr vrsave",
        {0x19c}},
    // The upper halves of e500's 64-bit registers come after all lower halves.
    LayoutText{"powerpc:e500",
               "u4: r0-r31 c4: ev0h-ev31h p4: pc u4: msr cr p4: lr u4: ctr xer c8: acc c4: spefscr",
               {0x124}},
    LayoutText{
        "s390:64-bit", "u8: pswm pswa r0-r15 u4: acr0-acr15 c4: fpc f8: f0-f15 u8: orig_r2", {0x154, 0x15c}},
    LayoutText{
        "s390:31-bit", "u4: pswm pswa r0-r15 acr0-acr15 c4: fpc f8: f0-f15 u4: orig_r2", {0x10c, 0x110}},
    LayoutText{
        "riscv:rv64", "i8: zero p8: ra sp gp tp i8: t0-t2 p8: fp i8: s1 a0-a7 s2-s11 t3-t6 p8: pc", {0x108}},
    LayoutText{
        "riscv:rv32", "i4: zero p4: ra sp gp tp i4: t0-t2 p4: fp i4: s1 a0-a7 s2-s11 t3-t6 p4: pc", {0x84}},
    LayoutText{
        "sparc:v9",
        "i8: g0-g7 o0-o5 p8: sp i8: o7 l0-l7 i0-i5 p8: fp i8: i7 f4: f0-f31 f8: f32 f34 f36 f38 f40 f42 "
        "f44 f46 f48 f50 f52 f54 f56 f58 f60 f62 p8: pc npc i8: state c8: fsr fprs i8: y",
        {0x230}},
    LayoutText{
        "sparc",
        "i4: g0-g7 o0-o5 p4: sp i4: o7 l0-l7 i0-i5 p4: fp i4: i7 f4: f0-f31 i4: y psr wim tbr p4: pc npc "
        "c4: fsr i4: csr",
        {0x120}},
    LayoutText{"m68k",
               "i4: d0-d7 p4: a0-a5 fp sp i4: ps p4: pc b12: fp0-fp7 c4: fpcontrol fpstatus fpiaddr",
               {0xb4}},
    LayoutText{"sh", "i4: r0-r15 pc pr gbr vbr mach macl sr", {}},
    LayoutText{
        "alpha",
        "i8: v0 t0-t7 s0-s5 fp a0-a5 t8-t11 ra t12 at p8: gp sp i8: zero f8: f0-f30 c8: fpcr p8: pc i8: _ "
        "unique",
        {0x218}},
};

constexpr std::string_view kDigits = "0123456789";

const std::vector<FlagField>& x86_flags() {
  static const std::vector<FlagField> flags{{"CF", 0, 0},   {"PF", 2, 2},    {"AF", 4, 4},    {"ZF", 6, 6},
                                            {"SF", 7, 7},   {"TF", 8, 8},    {"IF", 9, 9},    {"DF", 10, 10},
                                            {"OF", 11, 11}, {"NT", 14, 14},  {"RF", 16, 16},  {"VM", 17, 17},
                                            {"AC", 18, 18}, {"VIF", 19, 19}, {"VIP", 20, 20}, {"ID", 21, 21}};
  return flags;
}

unsigned number_in(std::string_view digits) { return consume_number<unsigned>(digits).value_or(0); }

// The names of a range: "r0-r15", "ymm0h-ymm15h", or a single name.
std::vector<std::string> names_of(std::string_view word) {
  const std::size_t dash = word.find('-');
  if (dash == std::string_view::npos) return {std::string(word)};
  const std::string_view first = word.substr(0, dash), last = word.substr(dash + 1);
  // Splits a name into the text before its last number, this number, and the text after it. The names of a
  // range differ only in this number.
  const auto split = [](std::string_view name) {
    const std::size_t end = name.find_last_of(kDigits) + 1;
    const std::size_t begin = name.find_last_not_of(kDigits, end - 1) + 1;
    return std::array{name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
  };
  const auto [stem, from, suffix] = split(first);
  const unsigned to = number_in(split(last)[1]);
  std::vector<std::string> names;
  for (unsigned i = number_in(from); i <= to; ++i)
    names.push_back(std::string(stem) + std::to_string(i) + std::string(suffix));
  return names;
}

ValueForm form_of(char letter) {
  switch (letter) {
    case 'u':
      return ValueForm::Unsigned;
    case 'p':
      return ValueForm::Pointer;
    case 'e':
      return ValueForm::Flags;
    case 'f':
      return ValueForm::Float;
    case 'b':
      return ValueForm::Bytes;
    default:
      return ValueForm::Signed;
  }
}

RegisterLayout build(const LayoutText& text) {
  std::vector<Register> registers;
  std::istringstream words{std::string(text.registers)};
  char letter = 'i';
  std::size_t size = 0;
  unsigned number = 0;
  for (std::string word; words >> word;) {
    if (word.front() == '@') {
      number = number_in(std::string_view(word).substr(1));
      continue;
    }
    if (word.ends_with(':')) {
      letter = word.front();
      size = number_in(std::string_view(word).substr(1));
      continue;
    }
    for (std::string& name : names_of(word)) {
      Register reg;
      reg.name = name == "_" ? std::string() : std::move(name);
      reg.number = number++;
      reg.size = size;
      reg.form = form_of(letter);
      reg.is_general = letter != 'c' && letter != 'b' && letter != 'f' && !reg.name.empty();
      if (letter == 'e') reg.flags = std::make_shared<const std::vector<FlagField>>(x86_flags());
      registers.push_back(std::move(reg));
    }
  }
  return RegisterLayout(std::string(text.architecture), std::move(registers));
}

}  // namespace

std::span<const RegisterLayout> default_layouts() {
  static const std::vector<RegisterLayout> layouts = [] {
    std::vector<RegisterLayout> built;
    for (const LayoutText& text : kTexts) built.push_back(build(text));
    return built;
  }();
  return layouts;
}

const RegisterLayout* default_layout(std::string_view architecture) {
  const auto layouts = default_layouts();
  for (; !architecture.empty(); architecture = architecture.substr(0, architecture.find_last_of(':'))) {
    const auto found = std::ranges::find(layouts, architecture, &RegisterLayout::architecture);
    if (found != layouts.end()) return &*found;
    if (architecture == "powerpc") return default_layout("powerpc:common");
    if (architecture == "riscv") return default_layout("riscv:rv64");
    if (architecture == "s390") return default_layout("s390:64-bit");
    if (architecture.find(':') == std::string_view::npos) break;
  }
  return architecture.starts_with("arm") ? default_layout("arm") : nullptr;
}

bool is_typical_size(const RegisterLayout& layout, std::size_t block_size) {
  const auto text = std::ranges::find(kTexts, layout.architecture(), &LayoutText::architecture);
  return text != kTexts.end() && block_size != 0 &&
         std::ranges::find(text->typical_sizes, block_size) != text->typical_sizes.end();
}

}  // namespace convert::tfile
