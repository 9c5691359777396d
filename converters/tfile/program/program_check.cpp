#include "converters/tfile/program/program_check.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/tracepoint.h"
#include "converters/tfile/frames/frame_memory.h"
#include "converters/tfile/program/item_proof.h"
#include "fxt/hash.h"

namespace convert::tfile {
namespace {

// A bias is considered only if it puts the location into the first kMaxPages pages of its function.
constexpr std::uint64_t kMaxPages = 16;
// At most this number of biases is compared with all locations. If there are more biases, the biases that
// the fewest locations suggest are left out.
constexpr std::size_t kMaxCandidates = 64;
// Linux loads position-independent programs here if a debugger has switched off address randomization.
constexpr std::array kUsualBiases{std::uint64_t{0x5555'5555'4000}, std::uint64_t{0x5655'5000}};

struct SourceLine {
  std::string file;
  int line = 0;
};
std::optional<SourceLine> line_in(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto line = whole_number<int>(std::string_view(text).substr(colon + 1));
  if (!line) return std::nullopt;
  return SourceLine{.file = text.substr(0, colon), .line = *line};
}

// The names in texts like "fib", "fib(int)", "demo.c:stamp", "demo.cc:app::run", "run:label". One of them is
// the name of the function.
std::vector<std::string> names_in(std::string text) {
  text = without_abi_tags(std::move(text));
  text.resize(std::min({text.size(), text.find('(', 1), text.find(" -label ")}));
  std::vector<std::string> names;
  // A single colon ends the name of a file or function. A double colon belongs to the name.
  std::size_t begin = 0;
  for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
    if (colon + 1 < text.size() && text[colon + 1] == ':') {
      ++colon;
      continue;
    }
    names.push_back(text.substr(begin, colon - begin));
    begin = colon + 1;
  }
  names.push_back(text.substr(begin));
  std::erase(names, std::string());
  return names;
}

// The symbol and the offset in texts like "*&label", "*fib+4", "*(&fib)"; nothing for other expressions.
struct SymbolPlace {
  std::string name;
  std::uint64_t offset = 0;
};
std::optional<SymbolPlace> symbol_in(std::string text) {
  std::erase_if(text, [](char c) { return c == '*' || c == '&' || c == '(' || c == ')' || c == ' '; });
  SymbolPlace place;
  if (const std::size_t sign = text.find_first_of("+-"); sign != std::string::npos) {
    const auto number = c_number(std::string_view(text).substr(sign + 1));
    if (!number) return std::nullopt;
    place.offset = text[sign] == '-' ? 0 - *number : *number;
    text.resize(sign);
  }
  if (text.empty() || text.front() == '$' || is_digit(text.front())) return std::nullopt;
  place.name = std::move(text);
  return place;
}

// The name of a function without scopes, template arguments and parameters: "run" for
// "app::Box<int>::run(int)", for "app__run" in Ada and for "app.run" in D.
std::string own_name(std::string_view whole) {
  const std::string plain = without_abi_tags(std::string(whole));
  std::string_view function = plain;
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  if (const std::size_t anonymous = function.rfind(kAnonymous); anonymous != std::string_view::npos)
    function.remove_prefix(anonymous + kAnonymous.size());
  function = function.substr(0, function.find('('));
  function = function.substr(0, function.find('<', 1));
  if (const std::size_t scope = function.find_last_of(":."); scope != std::string_view::npos)
    function.remove_prefix(scope + 1);
  if (const std::size_t scope = function.rfind("__"); scope != std::string_view::npos && scope > 0)
    function.remove_prefix(scope + 2);
  return std::string(function);
}

// True for the name of a source file, such as the first name in "demo.c:stamp". False for a function.
bool is_source_file(std::string_view name) {
  static constexpr std::array<std::string_view, 25> kEndings{
      "c", "cc",  "cpp", "cxx", "C",   "h",   "hh",  "hpp", "inc", "s", "S",   "m", "mm",
      "f", "for", "f90", "F90", "f95", "adb", "ads", "rs",  "go",  "d", "pas", "pp"};
  return std::ranges::count(kEndings, name.substr(name.rfind('.') + 1)) != 0 && name.find('.') != name.npos;
}

// True if "/src/demo.c:63" is in "demo.c" or "src/demo.c".
bool is_in_file(std::string_view source, std::string_view file) {
  source = source.substr(0, source.rfind(':'));
  return source.ends_with(file) && (source.size() == file.size() || file.starts_with('/') ||
                                    source[source.size() - file.size() - 1] == '/');
}

bool is_alike(std::string_view function, std::string_view name) {
  return !own_name(function).empty() && own_name(function) == own_name(name);
}

bool contains(const Program::Function& function, std::uint64_t address) {
  return address - function.address < std::max<std::uint64_t>(function.size, 1);
}

// The code that the text of a tracepoint means in the program. The user has set the tracepoint with this
// text, such as "demo.c:63". The code does not depend on the bias. All locations of the tracepoint share one
// MeantCode, because a line of a template or of an inlined function may have thousands of locations.
struct MeantCode {
  std::vector<std::string> names = {};  // names of a function or label; empty for a line, or if unknown
  bool is_line = false;
  // The functions with one of these names, or the functions that begin at the line. `last` is the last
  // address at which GDB sets a tracepoint on the function.
  struct Code : Program::Function {
    std::uint64_t last;
    bool is_in_other_file = false;  // true if the location names a file, and the function is in another file
  };
  std::vector<Code> functions = {};  // by address
  // The addresses of a line, or of an expression such as "*fib+4", sorted.
  std::vector<std::uint64_t> exact = {};
  std::uint64_t longest = 1;  // the size of the largest function

  // The functions around an address. The function that begins last comes first.
  std::vector<Code> functions_around(std::uint64_t address) const {
    std::vector<Code> found;
    auto next = std::ranges::upper_bound(functions, address, {}, &Code::address);
    while (next != functions.begin() && address - std::prev(next)->address < longest)
      if (contains(*--next, address)) found.push_back(*next);
    return found;
  }
};

// The findings about one location, which do not depend on the bias.
struct Clue {
  const TracepointLocation* location;
  const MeantCode* code;
  std::vector<std::uint64_t> objects = {};  // biases that follow from the addresses of collected objects
  const ExpectedBlocks* hit = nullptr;      // null if no frame can belong to the location
};

// Made-up registers with different values. On these registers, actions can run before any frame is read.
class StandInRegisters {
 public:
  // `layout` may be null.
  StandInRegisters(const RegisterLayout* layout, std::endian order) : memory_(layout, order) {
    if (layout != nullptr) {
      bytes_.resize(layout->size());
      for (const Register& reg : layout->registers()) {
        const std::uint64_t value = (std::uint64_t{reg.number} + 1) << 20;
        std::byte* const at = bytes_.data() + reg.offset;
        if (reg.size == 8) store(at, value, order);
        if (reg.size == 4) store(at, static_cast<std::uint32_t>(value), order);
      }
      frame_.blocks.push_back({.kind = Block::Kind::Registers, .bytes = bytes_});
    }
    memory_.start(frame_, false);
  }
  StandInRegisters(const StandInRegisters&) = delete;
  StandInRegisters& operator=(const StandInRegisters&) = delete;

  FrameMemory& memory() { return memory_; }

 private:
  std::vector<std::byte> bytes_;
  Frame frame_;
  FrameMemory memory_;
};

enum class Evidence : std::uint8_t { Contradicts, HasCode, InFunction, Exact };
constexpr std::size_t weight_of(Evidence evidence) {
  return std::array{0U, 1U, 2U, 4U}[static_cast<std::size_t>(evidence)];
}

class PlaceChecker {
 public:
  PlaceChecker(const Description& description, const LocationTable& locations, Program& program,
               const RegisterLayout* layout, std::endian order)
      : program_(program), registers_(layout, order), proof_(description.variables, registers_.memory()) {
    std::unordered_map<const TracepointLocation*, const ExpectedBlocks*> hits;
    for (const ExpectedFrames& expected : locations.all()) hits.emplace(expected.location, &expected.hit);
    for (const TracepointLocation& location : description.locations) {
      const auto hit = hits.find(&location);
      clues_.push_back(clue_of(location, hit != hits.end() ? hit->second : nullptr));
    }
  }

  std::vector<std::uint64_t> candidates() const {
    std::map<std::uint64_t, std::size_t> votes;
    for (const Clue& clue : clues_)
      for (const std::uint64_t bias : biases_of(clue)) ++votes[bias];
    if (!program_.layout().is_library())
      for (const std::uint64_t bias : kUsualBiases) votes.try_emplace(bias, 0);
    std::vector<std::pair<std::uint64_t, std::size_t>> sorted(votes.begin(), votes.end());
    std::ranges::stable_sort(sorted, std::greater{}, [](const auto& vote) { return vote.second; });
    sorted.resize(std::min(sorted.size(), kMaxCandidates));
    std::vector<std::uint64_t> biases;
    for (const auto& [bias, count] : sorted) biases.push_back(bias);
    return biases;
  }

  // If `only_if_it_fits` is true, the first contradiction ends the comparison.
  ProgramCheck check_at(std::uint64_t bias, bool only_if_it_fits = false) {
    ProgramCheck check{.bias = bias};
    program_.set_load_bias(bias);
    // Numbers of tracepoints. A tracepoint in `inside` has a location in the program. A tracepoint in
    // `outside` has a location outside of the program, although it names a function of the program.
    std::set<std::uint64_t> outside, inside;
    for (const Clue& clue : clues_) {
      if (only_if_it_fits && check.contradictions > 0) return check;
      for (const std::uint64_t object : clue.objects)
        if (object == bias) {
          check.weight += weight_of(Evidence::Exact);
          ++check.agreements;
        }
      const std::uint64_t address = clue.location->address - bias;
      if (!program_.layout().contains(address)) {
        const auto& functions = clue.code->functions;
        if (!clue.code->names.empty() && !std::ranges::all_of(functions, &MeantCode::Code::is_in_other_file))
          outside.insert(clue.location->number);
        continue;
      }
      inside.insert(clue.location->number);
      const Evidence evidence = evidence_of(clue, bias);
      const bool agrees = evidence == Evidence::Exact || evidence == Evidence::InFunction;
      if (agrees) ++check.agreements;
      if (evidence == Evidence::Contradicts) {
        const std::string what = !program_.layout().is_code(address)
                                     ? "there is no code at this address"
                                     : clue.location->at + " is at another address";
        contradict(check, what, *clue.location);
      }
      check.weight += weight_of(evidence);
    }
    // GDB sets a tracepoint on all functions with the given name. Therefore, if the program has such a
    // function, one of the tracepoint's locations should be in the program.
    if (!program_.layout().is_position_independent())
      for (const Clue& clue : clues_)
        if (outside.erase(clue.location->number) != 0 && !inside.contains(clue.location->number) &&
            clue.location->at.find_first_of("*:") == std::string::npos)
          contradict(check, clue.location->at + " is at another address", *clue.location);
    // Objects of a library prove nothing, because the dynamic linker may have copied them into the program.
    if (check.contradictions == 0 && !program_.layout().is_library())
      for (const Clue& clue : clues_) check_items(clue, bias, check);
    return check;
  }

 private:
  static void contradict(ProgramCheck& check, const std::string& what, const TracepointLocation& location) {
    if (check.contradictions++ == 0)
      check.first_contradiction =
          fmt::format("{} (tracepoint {} at {:#x})", what, location.number, location.address);
  }

  // Checks whether the actions collect each item from the register or memory in which this program stores it.
  // Needs no frames, because the actions are executed here, on registers whose values are known.
  void check_items(const Clue& clue, std::uint64_t bias, ProgramCheck& check) {
    const TracepointLocation& location = *clue.location;
    const CodeScope* const scope =
        program_.layout().contains(location.address - bias) ? program_.scope_at(location.address) : nullptr;
    if (scope == nullptr || clue.hit == nullptr || clue.hit->items.empty()) return;
    if (!proof_.start_on_registers(*clue.hit, *scope, work_)) return;
    proof_.prove_in_any_order();
    for (std::size_t i = 0; i < clue.hit->items.size(); ++i) {
      if (proof_.is_confirmed(i)) check.weight += weight_of(Evidence::HasCode);
      if (proof_.is_contradicted(i))
        contradict(check, fmt::format("`{}` is at another place", clue.hit->items[i].text), location);
    }
  }

  Clue clue_of(const TracepointLocation& location, const ExpectedBlocks* hit) {
    const auto [code, is_new] = meant_.try_emplace(location.at);
    if (is_new) code->second = code_meant_by(location.at);
    Clue clue{.location = &location, .code = &code->second};
    clue.hit = hit;
    add_objects(clue);
    return clue;
  }

  MeantCode code_meant_by(const std::string& at) const {
    MeantCode code;
    const std::string text = location_text(at);
    if (const auto source = line_in(text)) {
      code.is_line = true;
      code.exact = program_.line_addresses(source->file, source->line);
      for (const std::uint64_t address : code.exact) {
        auto function = program_.function_entered_after(address);
        if (!function) function = program_.function_at(address);
        if (function && function->address >= address)
          code.functions.push_back({*function, program_.prologue_end(*function)});
      }
    } else if (!text.starts_with('*')) {
      code.names = names_in(text);
      std::string file;
      if (code.names.size() > 1 && is_source_file(code.names.front())) file = code.names.front();
      for (const std::string& name : code.names)
        for (const Program::Function& function : program_.functions(name)) {
          const bool is_around_label = name != code.names.back();
          const std::uint64_t end = function.address + function.size;
          const std::string begins_at = file.empty() ? "" : program_.code_at(function.address).source;
          code.functions.push_back({function, is_around_label ? end : program_.prologue_end(function),
                                    !begins_at.empty() && !is_in_file(begins_at, file)});
        }
    } else if (const auto symbol = symbol_in(text)) {
      for (const Program::Function& function : program_.functions(symbol->name))
        code.exact.push_back(function.address + symbol->offset);
    }
    std::ranges::sort(code.exact);
    std::ranges::stable_sort(code.functions, {}, &MeantCode::Code::address);
    for (const MeantCode::Code& function : code.functions)
      code.longest = std::max(code.longest, function.size);
    return code;
  }

  void add_objects(Clue& clue) const {
    if (clue.hit == nullptr) return;
    for (const CollectItem& item : clue.hit->items) {
      const auto object = item.kind == CollectItem::Kind::Name ? program_.object(item.text) : std::nullopt;
      if (!object) continue;
      for (const std::uint64_t bias : biases_at_ranges(*object, clue.location->hit_actions))
        clue.objects.push_back(bias);
    }
  }

  // The biases with which the location is in its function or at its line, and the biases from collected
  // objects.
  static std::set<std::uint64_t> biases_of(const Clue& clue) {
    std::set<std::uint64_t> biases(clue.objects.begin(), clue.objects.end());
    const std::uint64_t address = clue.location->address;
    for (const std::uint64_t exact : clue.code->exact)
      if (address >= exact && (address - exact) % kPage == 0) biases.insert(address - exact);
    for (const MeantCode::Code& function : clue.code->functions) {
      if (address < function.address || function.is_in_other_file) continue;
      const std::uint64_t pages = std::min(function.size / kPage + 1, kMaxPages);
      const std::uint64_t nearest = (address - function.address) / kPage * kPage;
      for (std::uint64_t page = 0; page < pages && page * kPage <= nearest; ++page) {
        const std::uint64_t bias = nearest - page * kPage;
        if (contains(function, address - bias)) biases.insert(bias);
      }
    }
    return biases;
  }

  Evidence evidence_of(const Clue& clue, std::uint64_t bias) const {
    const std::uint64_t address = clue.location->address - bias;
    if (!program_.layout().is_code(address)) return Evidence::Contradicts;
    const MeantCode& meant = *clue.code;
    if (std::ranges::binary_search(meant.exact, address)) return Evidence::Exact;
    bool is_after_prologue = false;
    for (const MeantCode::Code& function : meant.functions_around(address)) {
      if (function.is_in_other_file) return Evidence::Contradicts;
      if (address <= function.last)
        return program_.may_begin_at(function, address) ? Evidence::InFunction : Evidence::Contradicts;
      is_after_prologue = true;
    }
    if (!meant.exact.empty()) return Evidence::Contradicts;
    const CodeInfo code = program_.code_at(clue.location->address);
    if (meant.is_line) return code.source.empty() ? Evidence::HasCode : Evidence::Contradicts;
    if (meant.names.empty()) return Evidence::HasCode;
    // If the function is inlined, or if its symbol has another name, the symbol table does not have its
    // source name. In this case, the names in the debug information are compared.
    const auto is_named_so = [&](const std::string& function) {
      return std::ranges::any_of(meant.names, [&](const auto& name) { return is_alike(function, name); });
    };
    std::span<const std::string> inlined = code.inlined;
    if (is_after_prologue && !inlined.empty()) inlined = inlined.first(inlined.size() - 1);
    if ((!is_after_prologue && is_named_so(code.function)) || std::ranges::any_of(inlined, is_named_so))
      return Evidence::InFunction;
    return meant.functions.empty() && code.function.empty() ? Evidence::HasCode : Evidence::Contradicts;
  }

  Program& program_;
  StandInRegisters registers_;
  ItemProof proof_;
  fxt::Budget work_{kFrameWork};
  fxt::SeededMap<std::string, MeantCode> meant_;  // by the user's text
  std::vector<Clue> clues_;
};

bool is_usual(std::uint64_t bias) { return std::ranges::count(kUsualBiases, bias) != 0; }

}  // namespace

std::vector<ProgramCheck> check_places(const Description& description, const LocationTable& locations,
                                       Program& program, std::optional<std::uint64_t> given,
                                       const RegisterLayout* layout, std::endian order) {
  program.set_load_bias(0);
  PlaceChecker checker(description, locations, program, layout, order);
  if (!given && !program.layout().is_position_independent()) given = 0;
  if (given) return {checker.check_at(*given)};

  std::vector<ProgramCheck> places;
  bool has_fitting = false;
  for (const std::uint64_t bias : checker.candidates()) {
    const ProgramCheck& place = places.emplace_back(checker.check_at(bias, has_fitting));
    has_fitting |= place.weight > 0 && place.contradictions == 0;
  }
  std::erase_if(places,
                [](const ProgramCheck& place) { return place.weight == 0 && place.contradictions == 0; });
  return places;
}

ProgramCheck best_of(std::span<const ProgramCheck> places) {
  const auto rank = [](const ProgramCheck& place) {
    return std::tuple(place.contradictions == 0, place.weight, is_usual(*place.bias));
  };
  const auto best = std::ranges::max_element(places, {}, rank);
  if (best == places.end()) return {};
  ProgramCheck check = *best;
  for (const ProgramCheck& place : places)
    if (rank(place) == rank(*best)) check.equal_biases.push_back(*place.bias);
  if (check.equal_biases.size() > 1)
    check.bias.reset();
  else
    check.equal_biases.clear();
  return check;
}

std::string function_meant(const std::string& at, const CodeInfo& code) {
  const std::string text = location_text(at);
  if (line_in(text)) return {};
  std::vector<std::string> names;
  if (!text.starts_with('*'))
    names = names_in(text);
  else if (const auto symbol = symbol_in(text))
    names = {symbol->name};
  // The last name is the name of the function or of a label. The name before a label is the name of the
  // function.
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    for (const std::string& function : code.inlined)
      if (is_alike(function, *name)) return function;
  return {};
}

}  // namespace convert::tfile
