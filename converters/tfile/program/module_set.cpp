#include "converters/tfile/program/module_set.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "converters/model/option.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/program_check.h"
#include "fxt/support/text.h"

namespace convert::tfile {
namespace {

bool is_for(const GivenBias& given, const Program& program, bool is_first) {
  const std::filesystem::path path(program.path());
  return given.module.empty() ? is_first : given.module == path.filename() || given.module == path;
}

std::optional<std::uint64_t> given_bias(const Program& program, bool is_first,
                                        const std::vector<GivenBias>& biases) {
  for (const GivenBias& given : biases)
    if (is_for(given, program, is_first)) return given.bias;
  return std::nullopt;
}

// Throws UsageError if a bias is for a module that is not one of the programs.
void check_biases(const std::vector<GivenBias>& biases,
                  const std::vector<std::unique_ptr<Program>>& programs) {
  const bool has_all = std::ranges::all_of(programs, [](const auto& program) { return program != nullptr; });
  if (programs.empty() || !has_all) return;
  for (const GivenBias& given : biases)
    if (std::ranges::none_of(programs, [&](const auto& program) { return is_for(given, *program, true); }))
      throw UsageError(fmt::format("--load-bias: no --program has the name '{}'", given.module));
}

// A program, and the places that the tracepoints suggest for it.
struct Candidate {
  std::unique_ptr<Program> program;
  std::optional<std::uint64_t> given = {};
  std::vector<ProgramCheck> places = {};
  ProgramCheck check = {};  // the result for the best of these places
  bool is_placed = false;
  std::string rival = {};  // another program that may also have been at the place of this program

  bool fits() const { return check.bias && check.contradictions == 0; }
  bool is_certain() const { return check.bias && (given || (fits() && rival.empty())); }
  // A place from the user or from the program's file comes before other places. Otherwise, the place that the
  // tracepoints confirm more strongly comes first.
  std::pair<bool, std::size_t> rank() const {
    return {given || !program->layout().is_position_independent(), check.weight};
  }
};

// True if `other`, loaded at `bias`, would overlap `placed`, loaded at the bias of its check.
bool overlap(const Candidate& placed, const Candidate& other, std::uint64_t bias) {
  const auto [begin, end] = placed.program->layout().extent();
  const auto [other_begin, other_end] = other.program->layout().extent();
  return begin + *placed.check.bias < other_end + bias && other_begin + bias < end + *placed.check.bias;
}

// True if another program fits an overlapping place equally well. Then it is unknown which of the two
// programs was there, and both candidates get a `rival`.
bool has_rival(Candidate& candidate, std::vector<Candidate>& all) {
  if (candidate.given) return false;
  for (Candidate& other : all)
    if (&other != &candidate && !other.is_placed && other.fits() && !other.given &&
        other.rank() == candidate.rank() && overlap(candidate, other, *other.check.bias)) {
      other.rival = candidate.program->path();
      candidate.rival = other.program->path();
    }
  return !candidate.rival.empty();
}

// Places the programs whose places are certain, the highest rank first. A placed program takes overlapping
// places from other programs, unless the user gave these places or tracepoints contradict them.
void place_together(std::vector<Candidate>& all) {
  for (Candidate& candidate : all) candidate.check = best_of(candidate.places);
  for (;;) {
    Candidate* next = nullptr;
    for (Candidate& candidate : all)
      if (!candidate.is_placed && candidate.is_certain() &&
          (next == nullptr || next->rank() < candidate.rank()))
        next = &candidate;
    if (next == nullptr) return;
    if (has_rival(*next, all)) continue;
    next->is_placed = true;
    for (Candidate& other : all) {
      if (other.is_placed || other.given || other.check.contradictions > 0) continue;
      const auto is_taken = [&](const ProgramCheck& place) { return overlap(*next, other, *place.bias); };
      if (std::erase_if(other.places, is_taken) == 0) continue;
      const ProgramCheck left = best_of(other.places);
      const bool has_place = left.contradictions == 0 && (left.bias || !left.equal_biases.empty());
      if (has_place)
        other.check = left;
      else
        other.rival = next->program->path();
    }
  }
}

bool is_in(const TracepointLocation& location, const Program& program, std::uint64_t bias) {
  return program.layout().contains(location.address - bias);
}

bool has_tracepoint(const Program& program, std::uint64_t bias, const Description& description) {
  return std::ranges::any_of(description.locations, [&](const TracepointLocation& location) {
    return is_in(location, program, bias);
  });
}

// True if each tracepoint is in a program whose place the user gave. Then the user probably copied all places
// from GDB, including those of programs without tracepoints, such as libc.
bool all_are_given(const std::vector<Candidate>& candidates, const Description& description) {
  return !description.locations.empty() &&
         std::ranges::all_of(description.locations, [&](const TracepointLocation& location) {
           return std::ranges::any_of(candidates, [&](const Candidate& candidate) {
             return candidate.given && is_in(location, *candidate.program, *candidate.given);
           });
         });
}

enum class Use : std::uint8_t { Nothing, Names, All };

// Decides for which purposes the program is used. If the program has a problem, adds a note.
Use use_of(Candidate& candidate, Notes& notes) {
  const Location file = Location::file(candidate.program->path());
  const ProgramCheck& check = candidate.check;
  if (check.contradictions > 0) {
    std::string problem =
        check.contradictions == 1
            ? check.first_contradiction
            : fmt::format("{}, and {} more", check.first_contradiction, check.contradictions - 1);
    if (!candidate.program->has_all_debug_information())
      problem +=
          "; the program lacks debug information, so inlined functions may cause this note even with the "
          "right program";
    if (candidate.given)
      problem += "; only the functions and lines of this file are used, because of --load-bias";
    notes.add(kWrongProgram, file, problem);
    if (!candidate.given) return Use::Nothing;
  } else if (!candidate.rival.empty()) {
    notes.add(kLoadBias, file,
              fmt::format(
                  "the tracepoints fit only at {:#x}, but {} also fits there; use --load-bias for both files",
                  *check.bias, candidate.rival));
    return Use::Nothing;
  } else if (!check.equal_biases.empty()) {
    notes.add(
        kLoadBias, file,
        fmt::format(
            "the tracepoints fit equally well at several addresses ({:#x}); use --load-bias to choose one",
            fmt::join(check.equal_biases, ", ")));
    return Use::Nothing;
  } else if (!check.bias) {
    notes.add(kLoadBias, file, "no tracepoint shows the load address of this file; use --load-bias");
    return Use::Nothing;
  } else if (check.agreements == 0 && !candidate.given) {
    notes.add(kUnconfirmedProgram, file, "no tracepoint names a function or line of this file");
  }
  candidate.program->set_load_bias(*check.bias);
  return check.contradictions > 0 ? Use::Names : Use::All;
}

void add_debug_notes(const Program& program, Notes& notes) {
  const Location file = Location::file(program.path());
  if (program.debug_info().units().all().empty() && program.missing_debug_file().empty())
    notes.add(kNoSymbols, file,
              "the file has no debug information, so values have no types; use the unstripped program, or "
              "build the program with -g");
  if (const std::string& missing = program.missing_debug_file(); !missing.empty())
    notes.add(kNoSymbols, file,
              fmt::format("the debug information of this file is in a missing file: {}", missing));
  if (const std::string& unsafe = program.debug_info().units().unsafe_file(); !unsafe.empty())
    notes.add(kNoSymbols, file, unsafe + "; the types in that file are not used");
  if (const auto& missing = program.debug_info().units().missing_files(); !missing.empty())
    notes.add(
        kNoSymbols, file,
        fmt::format("the types of {} are in missing files, or in a package (.dwp) that libdw can't read: {}",
                    fxt::counted(missing.size(), "compilation unit"), missing.front()));
}

// Adds a note that no tracepoint is in the program at the place that the user gave.
void note_other_place(Program& program, std::uint64_t given, const ProgramCheck& found, Notes& notes) {
  const Location file = Location::file(program.path());
  if (found.bias && found.agreements > 0)
    notes.add(
        kLoadBias, file,
        fmt::format("no tracepoint is in this program with --load-bias {:#x}; use --load-bias {:#x}, which "
                    "fits some tracepoints",
                    given, *found.bias));
  else
    notes.add(kUnconfirmedProgram, file, "no tracepoint names a function or line of this file");
  program.set_load_bias(given);
}

}  // namespace

ModuleSet::ModuleSet(std::vector<std::unique_ptr<Program>> programs, const TraceFile& trace,
                     const LocationTable& locations, const std::vector<GivenBias>& biases, Notes& notes) {
  check_biases(biases, programs);
  const auto places_of = [&](Program& program, std::optional<std::uint64_t> bias) {
    return check_places(trace.description, locations, program, bias, trace.register_layout(),
                        trace.format.order);
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i] == nullptr) continue;
    const auto given = given_bias(*programs[i], i == 0, biases);
    if (!given || has_tracepoint(*programs[i], *given, trace.description))
      add_debug_notes(*programs[i], notes);
    auto places = places_of(*programs[i], given);
    candidates.push_back({.program = std::move(programs[i]), .given = given, .places = std::move(places)});
  }
  place_together(candidates);
  const bool has_all_places = all_are_given(candidates, trace.description);
  for (Candidate& candidate : candidates) {
    Program& program = *candidate.program;
    const Use use = use_of(candidate, notes);
    if (candidate.given && !has_all_places && candidate.check.contradictions == 0 &&
        candidate.check.agreements == 0)
      note_other_place(program, *candidate.given, best_of(places_of(program, {})), notes);
    if (use == Use::Nothing) program.add_notes(notes);
    if (use == Use::Names) contradicted_.push_back(&program);
    if (use != Use::Nothing) modules_.push_back(std::move(candidate.program));
  }
  // Modules must know each other: a function of a library may use an object of the program.
  for (const auto& module : modules_)
    for (const auto& other : modules_)
      if (module != other && !is_contradicted(other.get()))
        module->debug_info().add_other(other->debug_info());
}

void ModuleSet::contradict(std::uint64_t address, const std::string& problem, Notes& notes) {
  const auto found =
      std::ranges::find_if(modules_, [&](const auto& module) { return module->was_at(address); });
  if (found == modules_.end() || is_contradicted(found->get())) return;
  Program& module = **found;
  contradicted_.push_back(&module);
  for (const auto& other : modules_)
    if (other.get() != &module) other->debug_info().remove_other(module.debug_info());
  notes.add(kWrongProgram, Location::file(module.path()),
            fmt::format("{}; only the functions and lines of this file are used; use --program with the "
                        "build that was traced",
                        problem));
}

void ModuleSet::add_notes(Notes& notes) const {
  for (const auto& module : modules_) module->add_notes(notes);
}

bool ModuleSet::is_contradicted(const Program* module) const {
  return std::ranges::count(contradicted_, module) != 0;
}

const Program* ModuleSet::module_at(std::uint64_t address) const {
  for (const auto& module : modules_)
    if (module->was_at(address)) return module.get();
  return nullptr;
}

CodeInfo ModuleSet::code_at(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->code_at(address) : CodeInfo{};
}

std::optional<DataObject> ModuleSet::object(const std::string& name) const {
  for (const auto& module : modules_)
    if (auto found = module->object(name); found && !is_contradicted(module.get())) return found;
  return std::nullopt;
}

std::optional<std::uint64_t> ModuleSet::function(const std::string& symbol) const {
  for (const auto& module : modules_)
    if (auto found = module->function(symbol); found && !is_contradicted(module.get())) return found;
  return std::nullopt;
}

std::string ModuleSet::symbol_at(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->symbol_at(address) : std::string();
}

std::span<const std::byte> ModuleSet::constant_bytes(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr && !is_contradicted(module) ? module->constant_bytes(address)
                                                       : std::span<const std::byte>();
}

DebugInfo* ModuleSet::debug_info_at(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr && !is_contradicted(module) ? module->debug_info_at(address) : nullptr;
}

const CodeScope* ModuleSet::scope_at(std::uint64_t address) const {
  const auto has_types = [](const Program& program) { return !program.debug_info().units().all().empty(); };
  if (const Program* const module = module_at(address)) {
    if (is_contradicted(module)) return nullptr;
    if (const CodeScope* const scope = module->scope_at(address)) return scope;
    if (has_types(*module)) return &module->debug_info().global_scope();
  }
  for (const auto& module : modules_)
    if (!is_contradicted(module.get()) && has_types(*module)) return &module->debug_info().types_scope();
  return nullptr;
}

}  // namespace convert::tfile
