#include "converters/uftrace/kernel/kernel_symbols.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kKernel = "[kernel]";

constexpr std::uint64_t kLastBytes = 4096;  // assumed size of the last function

// A system call without arguments is one function with several names. The one to show has the prefix of the
// kernel's own word size: __x64_sys_getpid, __arm64_sys_getpid, sys_getpid. These prefixes are of the others.
constexpr std::array<std::string_view, 4> kOtherPrefixes{"__do_sys_", "__se_sys_", "__ia32_sys_", "SyS_"};
constexpr std::string_view kSystemCall = "sys_";

// The name after such a prefix; empty if `name` has none of them.
std::string_view system_call_of(std::string_view name) {
  for (const std::string_view other : kOtherPrefixes)
    if (name.starts_with(other)) return name.substr(other.size());
  return {};
}

bool is_native_name(std::string_view name, std::string_view call) {
  if (!name.ends_with(call) || !system_call_of(name).empty()) return false;
  name.remove_suffix(call.size());
  return name == kSystemCall || (name.starts_with("__") && name.ends_with("_sys_"));
}

}  // namespace

std::string_view kernel_name(const SymbolTable& symbols, std::uint64_t address) {
  const Symbol* const found = symbols.find_function(address);
  if (found == nullptr || found->start == 0) return {};
  // The list does not hold the end of the last function.
  if (found->start == symbols.symbols().back().start && address - found->start >= kLastBytes) return {};
  const std::string_view call = system_call_of(found->name);
  if (call.empty()) return found->name;
  const std::vector<Symbol>& all = symbols.symbols();
  auto alias = std::ranges::lower_bound(all, found->start, {}, &Symbol::start);
  for (; alias != all.end() && alias->start == found->start; ++alias)
    if (is_native_name(alias->name, call)) return alias->name;
  return found->name;
}

LabelId KernelSymbols::new_label(std::uint64_t address) {
  const std::string_view name =
      context_.symbols != nullptr ? kernel_name(*context_.symbols, address) : std::string_view{};
  if (!name.empty()) return context_.names.intern_label(kKernel, demangle(name, context_.demangle));
  if (unknown_.insert(address).second)
    context_.notes.add(kNoSymbol, [&] {
      return fmt::format("{}: no symbol at {:#x} in {}", context_.file, address, kKernel);
    });
  return context_.names.intern_label(kKernel, fmt::format("<{:x}>", address));
}

}  // namespace convert::uftrace
