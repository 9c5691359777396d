#include "converters/tfile/program/call_frames.h"

#include <algorithm>
#include <array>
#include <gelf.h>
#include <string_view>
#include <utility>

#include "converters/symbols/debug_sections.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxKnown = 4096;

// The size of the longest entry of a section, in bytes. For a compressed section, the size of the section.
std::uint64_t longest_entry(Elf* elf, std::string_view section_name) {
  std::size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return 0;
  std::uint64_t longest = 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* const name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || name != section_name) continue;
    GElf_Chdr compressed;
    if (gelf_getchdr(section, &compressed) != nullptr) {
      longest = std::max<std::uint64_t>(longest, compressed.ch_size);
      continue;
    }
    Elf_Data* const data = elf_getdata(section, nullptr);
    const auto* const ident = reinterpret_cast<const unsigned char*>(elf_getident(elf, nullptr));
    if (data == nullptr) continue;
    Dwarf_CFI_Entry entry;
    Dwarf_Off next = 0;
    for (Dwarf_Off at = 0;; at = next) {
      const int found = dwarf_next_cfi(ident, data, section_name == ".eh_frame", at, &next, &entry);
      if (found > 0 || next <= at || next == static_cast<Dwarf_Off>(-1)) break;
      longest = std::max(longest, next - at);
    }
    release_pages(elf);
  }
  return longest;
}

}  // namespace

const std::vector<CallFrames::Table>& CallFrames::tables() {
  if (!tables_.empty()) return tables_;
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = dwfl_module_getdwarf(module_, &bias);
  Table debug, unwind;
  debug.cfi = dwfl_module_dwarf_cfi(module_, &debug.bias);
  if (debug.cfi != nullptr && dwarf != nullptr)
    debug.longest_entry = longest_entry(dwarf_getelf(dwarf), ".debug_frame");
  unwind.cfi = dwfl_module_eh_cfi(module_, &unwind.bias);
  if (unwind.cfi != nullptr)
    unwind.longest_entry = longest_entry(dwfl_module_getelf(module_, &bias), ".eh_frame");
  return tables_ = {debug, unwind};
}

DwarfFrame CallFrames::find(Dwarf_Addr pc) {
  for (const Table& table : tables()) {
    Dwarf_Frame* frame = nullptr;
    if (table.cfi == nullptr || !work_.take(table.longest_entry)) continue;
    if (dwarf_cfi_addrframe(table.cfi, pc - table.bias, &frame) == 0) return {frame, &std::free};
  }
  return {nullptr, &std::free};
}

const CallFrame* CallFrames::rules_at(Dwarf_Addr pc, std::size_t registers) {
  if (const auto known = known_.find(pc); known != known_.end()) return known->second.get();
  if (known_.size() >= kMaxKnown) known_.clear();
  std::unique_ptr<CallFrame> call;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  Dwarf_Addr begin = 0, end = 0;
  bool is_signal = false;
  const DwarfFrame frame = find(pc);
  const int return_address = frame ? dwarf_frame_info(frame.get(), &begin, &end, &is_signal) : -1;
  if (return_address >= 0 && dwarf_frame_cfa(frame.get(), &operations, &count) == 0 && count > 0) {
    call = std::make_unique<CallFrame>();
    call->cfa.assign(operations, operations + count);
    call->return_address = static_cast<std::size_t>(return_address);
    call->is_signal = is_signal;
    for (std::size_t reg = 0; reg < registers; ++reg) {
      std::array<Dwarf_Op, 3> memory;
      if (dwarf_frame_register(frame.get(), static_cast<int>(reg), memory.data(), &operations, &count) != 0)
        continue;
      const bool has_same_value = count == 0 && operations == nullptr;
      if (!has_same_value) call->rules.push_back({reg, {operations, operations + count}});
    }
  }
  return known_.emplace(pc, std::move(call)).first->second.get();
}

}  // namespace convert::tfile
