#include "converters/tfile/program/module_set.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <utility>

#include "converters/model/option.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/program_check.h"

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

// Throws UsageError if a bias is for a module that is none of the programs.
void check_biases(const std::vector<GivenBias>& biases,
                  const std::vector<std::unique_ptr<Program>>& programs) {
  const bool has_all = std::ranges::all_of(programs, [](const auto& program) { return program != nullptr; });
  if (programs.empty() || !has_all) return;
  for (const GivenBias& given : biases)
    if (std::ranges::none_of(programs, [&](const auto& program) { return is_for(given, *program, true); }))
      throw UsageError(fmt::format("--load-bias: no --program is called '{}'", given.module));
}

enum class Use : std::uint8_t { Nothing, Names, All };

// Places the program, and decides what it serves for.
Use place(Program& program, const TraceFile& trace, const LocationTable& locations,
          std::optional<std::uint64_t> given, Notes& notes) {
  const Location file = Location::file(program.path());
  const auto check_at = [&](std::optional<std::uint64_t> bias) {
    return check_program(trace.description, locations, program, bias, trace.register_layout(),
                         trace.format.order);
  };
  if (program.debug_info().units().all().empty() && program.missing_debug_file().empty())
    notes.add(
        kNoSymbols, file,
        "it has no debug information, so values have no types: use the program before it was stripped, or "
        "build it with -g");
  if (const std::string& missing = program.missing_debug_file(); !missing.empty())
    notes.add(kNoSymbols, file,
              fmt::format("its debug information is in a file that is not there: {}", missing));
  if (const auto& missing = program.debug_info().units().missing_files(); !missing.empty())
    notes.add(
        kNoSymbols, file,
        fmt::format("{} of its compilations have their types in files that are not there, or in a package "
                    "(.dwp) that libdw does not read: {}",
                    missing.size(), missing.front()));
  const ProgramCheck check = check_at(given);
  if (check.contradictions > 0) {
    std::string problem =
        check.contradictions == 1
            ? check.first_contradiction
            : fmt::format("{}, and {} more", check.first_contradiction, check.contradictions - 1);
    if (!program.has_all_debug_information())
      problem +=
          "; it lacks debug information, without which inlined functions of the right program look like "
          "this, too";
    notes.add(kWrongProgram, file,
              given ? problem + "; only its functions and lines are used, as --load-bias says so" : problem);
    if (!given) return Use::Nothing;
  } else if (!check.equal_biases.empty()) {
    notes.add(kLoadBias, file,
              fmt::format("it fits alike at {:#x}: use --load-bias", fmt::join(check.equal_biases, ", ")));
    return Use::Nothing;
  } else if (!check.bias) {
    notes.add(kLoadBias, file, "no tracepoint tells where it was loaded: use --load-bias");
    return Use::Nothing;
  } else if (const ProgramCheck found = given && check.agreements == 0 ? check_at({}) : ProgramCheck{};
             found.bias && found.agreements > 0) {
    notes.add(kLoadBias, file,
              fmt::format("no tracepoint lies in it at the {:#x} of --load-bias; they do at {:#x}", *given,
                          *found.bias));
  } else if (check.agreements == 0) {
    notes.add(kUnconfirmedProgram, file, "no tracepoint names a function or line of it");
  }
  program.set_load_bias(*check.bias);
  return check.contradictions > 0 ? Use::Names : Use::All;
}

}  // namespace

ModuleSet::ModuleSet(std::vector<std::unique_ptr<Program>> programs, const TraceFile& trace,
                     const LocationTable& locations, const std::vector<GivenBias>& biases, Notes& notes) {
  check_biases(biases, programs);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (programs[i] == nullptr) continue;
    const Use use = place(*programs[i], trace, locations, given_bias(*programs[i], i == 0, biases), notes);
    if (use == Use::Nothing) programs[i]->add_notes(notes);
    if (use == Use::Names) contradicted_.push_back(programs[i].get());
    if (use != Use::Nothing) modules_.push_back(std::move(programs[i]));
  }
  // A library's function may use an object of the program.
  for (const auto& module : modules_)
    for (const auto& other : modules_)
      if (module != other && !is_contradicted(other.get()))
        module->debug_info().add_other(other->debug_info());
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

std::string ModuleSet::symbol_at(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->symbol_at(address) : std::string();
}

std::span<const std::byte> ModuleSet::constant_bytes(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr && !is_contradicted(module) ? module->constant_bytes(address)
                                                       : std::span<const std::byte>();
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
