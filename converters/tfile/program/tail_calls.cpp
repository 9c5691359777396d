#include "converters/tfile/program/tail_calls.h"

#include <algorithm>
#include <dwarf.h>
#include <initializer_list>
#include <string>

#include "converters/tfile/program/debug_info.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxKnownWays = 65536, kMaxSteps = 512, kMaxJumps = 64;

bool has_any(Dwarf_Die die, std::initializer_list<unsigned> attributes) {
  return std::ranges::any_of(attributes, [&](unsigned attribute) { return has_attribute(die, attribute); });
}

bool lists_all_jumps(Dwarf_Die function) {
  return has_any(function, {DW_AT_call_all_calls, DW_AT_call_all_tail_calls, DW_AT_GNU_all_call_sites,
                            DW_AT_GNU_all_tail_call_sites});
}

std::optional<std::uint64_t> start_of(Dwarf_Die function) {
  Dwarf_Addr start = 0;
  return dwarf_entrypc(&function, &start) == 0 ? std::optional(start) : std::nullopt;
}

}  // namespace

// A search for all paths of jumps that start at a call and lead to the function `callee`.
struct TailCalls::Search {
  TailCalls& calls;
  std::uint64_t callee;
  std::size_t steps = 0;
  std::vector<std::uint64_t> jumps = {};  // jumps on the path that is searched
  std::optional<std::vector<std::uint64_t>> first_way = {};
  // The number of jumps that all paths share at their start, and the number that they share at their end.
  std::size_t shared_at_start = 0, shared_at_end = 0;

  bool follow(const Call& call) {
    if (!call.target || ++steps > kMaxSteps || jumps.size() > kMaxJumps) return false;
    if (*call.target == callee) return add_way();
    const Function* const function = calls.function_from(*call.target);
    if (function == nullptr) return false;
    for (const Call& jump : function->jumps) {
      if (std::ranges::count(jumps, jump.return_address) != 0) continue;
      jumps.push_back(jump.return_address);
      if (!follow(jump)) return false;
      jumps.pop_back();
    }
    return true;
  }

  bool add_way() {
    if (!first_way) {
      first_way = jumps;
      shared_at_start = shared_at_end = jumps.size();
      return true;
    }
    const auto shared = [](auto first, auto last, auto other, auto other_last, std::size_t most) {
      const auto end = std::mismatch(first, last, other, other_last).first;
      return std::min(most, static_cast<std::size_t>(end - first));
    };
    shared_at_start =
        shared(first_way->begin(), first_way->end(), jumps.begin(), jumps.end(), shared_at_start);
    shared_at_end =
        shared(first_way->rbegin(), first_way->rend(), jumps.rbegin(), jumps.rend(), shared_at_end);
    return shared_at_start + shared_at_end > 0;
  }
};

const std::vector<std::uint64_t>& TailCalls::between(std::uint64_t return_address, std::uint64_t callee) {
  if (known_.size() >= kMaxKnownWays) known_.clear();
  const auto [found, is_new] = known_.try_emplace({return_address, callee});
  if (is_new) found->second = search(return_address, callee);
  return found->second;
}

std::vector<std::uint64_t> TailCalls::search(std::uint64_t return_address, std::uint64_t callee) {
  const auto caller = start_of_function_at(return_address - 1), called = start_of_function_at(callee);
  const Function* const function = caller && called ? function_from(*caller) : nullptr;
  if (function == nullptr) return {};
  const auto call = std::ranges::find(function->all, return_address, &Call::return_address);
  if (call == function->all.end()) return {};
  Search search{.calls = *this, .callee = *called};
  if (!search.follow(*call) || !search.first_way) return {};
  std::vector<std::uint64_t>& way = *search.first_way;
  const auto shared_at_start = way.begin() + static_cast<std::ptrdiff_t>(search.shared_at_start);
  const auto shared_at_end = way.end() - static_cast<std::ptrdiff_t>(search.shared_at_end);
  if (shared_at_start < shared_at_end) way.erase(shared_at_start, shared_at_end);
  std::ranges::reverse(way);
  for (std::uint64_t& jump : way) --jump;
  return way;
}

std::optional<std::uint64_t> TailCalls::start_of_function_at(std::uint64_t address) const {
  const CodeScope* const scope = symbols_.scope_at(address);
  if (scope == nullptr || scope->functions.empty()) return std::nullopt;
  const auto start = start_of(scope->functions.back());
  return start ? std::optional(*start + scope->bias()) : std::nullopt;
}

const TailCalls::Function* TailCalls::function_from(std::uint64_t start) {
  if (const auto found = functions_.find(start); found != functions_.end()) return &found->second;
  const CodeScope* const scope = symbols_.scope_at(start);
  if (scope == nullptr || scope->functions.empty() || start_of_function_at(start) != start) return nullptr;
  Function function;
  add_calls(*scope->info, scope->functions.back(), function, 0);
  if (!lists_all_jumps(scope->functions.back())) function.jumps.clear();
  return &functions_.emplace(start, std::move(function)).first->second;
}

void TailCalls::add_calls(DebugInfo& info, Dwarf_Die parent, Function& function, std::size_t depth) const {
  if (depth == kMaxDieDepth) return;
  for (const Dwarf_Die& child : info.children_of(parent)) {
    Dwarf_Die die = child;
    if (is_block_or_inlined(die)) add_calls(info, die, function, depth + 1);
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) continue;
    Dwarf_Addr return_address = 0;
    auto attribute = own_attribute(die, DW_AT_call_return_pc);
    if (!attribute) attribute = own_attribute(die, DW_AT_low_pc);
    if (!attribute || dwarf_formaddr(&*attribute, &return_address) != 0) continue;
    const Call call{return_address + info.bias(), target_of(info, die)};
    function.all.push_back(call);
    if (has_any(die, {DW_AT_call_tail_call, DW_AT_GNU_tail_call})) function.jumps.push_back(call);
  }
}

std::optional<std::uint64_t> TailCalls::target_of(DebugInfo& info, Dwarf_Die call) const {
  auto target = info.referred(call, DW_AT_call_origin);
  if (!target) target = info.referred(call, DW_AT_abstract_origin);
  if (!target) return std::nullopt;  // a call through a pointer
  if (const auto start = start_of(*target)) return *start + info.bias();
  auto linkage = attribute_of(*target, DW_AT_linkage_name);
  const char* const symbol = linkage ? dwarf_formstring(&*linkage) : nullptr;
  return symbols_.function(symbol != nullptr ? symbol : std::string(die_name(*target)));
}

}  // namespace convert::tfile
