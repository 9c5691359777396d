#include "converters/tfile/program/load_bias.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/tracepoint.h"

namespace convert::tfile {
namespace {

constexpr std::uint64_t kPage = 4096;
// Only the first pages of a function are considered.
constexpr std::uint64_t kMaxPages = 16;
// Where Linux loads such programs when a debugger has switched off address randomization.
constexpr std::array kUsualBiases{std::uint64_t{0x5555'5555'4000}, std::uint64_t{0x5655'5000}};

using Votes = std::map<std::uint64_t, std::size_t>;

// The function name in "*&label", "*fib+4", "*(&fib)", "demo.c:stamp", "demo.cc:app::run".
std::string function_in(const std::string& at) {
  std::string name = location_text(at);
  const bool is_address = name.starts_with('*');
  std::erase_if(name, [](char c) { return c == '*' || c == '&' || c == '(' || c == ')'; });
  if (is_address) name.resize(std::min(name.size(), name.find_first_of("+-")));
  // A single colon ends a file name; a double colon belongs to the function name.
  for (std::size_t colon = name.rfind(':'); colon != std::string::npos && colon > 0;
       colon = name.rfind(':', colon - 2)) {
    if (name[colon - 1] != ':') return name.substr(colon + 1);
    if (colon < 2) break;
  }
  return name;
}

struct SourceLine {
  std::string file;
  int line = 0;
};
std::optional<SourceLine> line_in(const std::string& at) {
  const std::string text = location_text(at);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto line = whole_number<int>(std::string_view(text).substr(colon + 1));
  if (!line) return std::nullopt;
  return SourceLine{.file = text.substr(0, colon), .line = *line};
}

void vote_by_function(const TracepointLocation& location, const Program& program, Votes& votes) {
  for (const Program::Function& function : program.functions(function_in(location.at))) {
    const std::uint64_t pages = std::min(function.size / kPage + 1, kMaxPages);
    if (location.address < function.address) continue;
    const std::uint64_t nearest = (location.address - function.address) / kPage * kPage;
    for (std::uint64_t page = 0; page < pages && page * kPage <= nearest; ++page) {
      const std::uint64_t bias = nearest - page * kPage;
      if (location.address - bias - function.address < std::max<std::uint64_t>(function.size, 1))
        ++votes[bias];
    }
  }
}

void vote_by_line(const TracepointLocation& location, const Program& program, Votes& votes) {
  const auto source = line_in(location.at);
  if (!source) return;
  Votes own;  // several rows of a line are one vote
  for (const std::uint64_t address : program.line_addresses(source->file, source->line))
    if (location.address >= address && (location.address - address) % kPage == 0)
      own[location.address - address] = 1;
  for (const auto& [bias, count] : own) votes[bias] += count;
}

void vote_by_objects(const TracepointLocation& location, const Program& program, Votes& votes) {
  const auto never = [](std::string_view) { return false; };
  const CollectItems items = collect_items(location.commands, never, never);
  for (const CollectItem& item : items.hit) {
    const auto object = item.kind == CollectItem::Kind::Name ? program.object(item.text) : std::nullopt;
    if (!object) continue;
    for (const TracepointAction& action : location.hit_actions) {
      const auto address = static_cast<std::uint64_t>(action.offset);
      const bool fits = action.kind == TracepointAction::Kind::Memory && action.base == -1 &&
                        action.length == object->size && address >= object->address &&
                        (address - object->address) % kPage == 0;
      if (fits) ++votes[address - object->address];
    }
  }
}

}  // namespace

std::optional<std::uint64_t> find_load_bias(const Description& description, const Program& program) {
  if (!program.is_position_independent()) return 0;
  Votes votes;
  for (const TracepointLocation& location : description.locations) {
    vote_by_function(location, program, votes);
    vote_by_line(location, program, votes);
    vote_by_objects(location, program, votes);
  }
  const auto best = std::ranges::max_element(votes, {}, [](const auto& vote) { return vote.second; });
  if (best != votes.end()) return best->first;
  for (const std::uint64_t bias : kUsualBiases) {
    const auto fits = [&](const TracepointLocation& location) {
      return location.address >= bias && program.is_code(location.address - bias);
    };
    if (!description.locations.empty() && std::ranges::all_of(description.locations, fits)) return bias;
  }
  return std::nullopt;
}

bool may_be_traced(const Description& description, const Program& program,
                   std::optional<std::uint64_t> bias) {
  bool has_evidence = false;
  for (const TracepointLocation& location : description.locations) {
    const std::uint64_t address = location.address - bias.value_or(0);
    if (const auto source = line_in(location.at)) {
      if (!program.knows_lines()) continue;
      has_evidence = true;
      const auto addresses = program.line_addresses(source->file, source->line);
      if (bias ? std::ranges::count(addresses, address) != 0 : !addresses.empty()) return true;
      continue;
    }
    const std::string name = function_in(location.at);
    if (name.empty() || name.front() == '$' || is_digit(name.front())) continue;
    has_evidence = true;
    const auto functions = program.functions(name);
    const auto is_here = [&](const Program::Function& f) {
      return address - f.address < std::max<std::uint64_t>(f.size, 1);
    };
    if (bias ? std::ranges::any_of(functions, is_here) : !functions.empty()) return true;
    // Inlined functions have no symbol.
    const auto is_named_so = [&](const std::string& inlined) { return inlined.ends_with(name); };
    if (bias && std::ranges::any_of(program.code_at(location.address).inlined, is_named_so)) return true;
  }
  return !has_evidence || !program.knows_objects();
}

}  // namespace convert::tfile
