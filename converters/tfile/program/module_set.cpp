#include "converters/tfile/program/module_set.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/program/program_check.h"

namespace convert::tfile {
namespace {

std::optional<std::uint64_t> given_bias(const Program& program, bool is_first,
                                        const std::vector<GivenBias>& biases) {
  const std::filesystem::path path(program.path());
  for (const GivenBias& given : biases)
    if (given.module.empty() ? is_first : given.module == path.filename() || given.module == path)
      return given.bias;
  return std::nullopt;
}

// Places the program. False when it is not to be used.
bool place(Program& program, const Description& description, std::optional<std::uint64_t> given,
           Notes& notes) {
  const Location file = Location::file(program.path());
  const ProgramCheck check = check_program(description, program, given);
  if (check.contradictions > 0) {
    const std::string problem =
        check.contradictions == 1
            ? check.first_contradiction
            : fmt::format("{}, and {} more", check.first_contradiction, check.contradictions - 1);
    notes.add(kWrongProgram, file, given ? problem + "; used, as --load-bias says so" : problem);
    if (!given) return false;
  } else if (!check.equal_biases.empty()) {
    notes.add(kLoadBias, file,
              fmt::format("it fits alike at {:#x}: use --load-bias", fmt::join(check.equal_biases, ", ")));
    return false;
  } else if (!check.bias) {
    notes.add(kLoadBias, file, "no tracepoint tells where it was loaded: use --load-bias");
    return false;
  } else if (check.agreements == 0) {
    notes.add(kUnconfirmedProgram, file, "no tracepoint names a function or line of it");
  }
  program.set_load_bias(*check.bias);
  return true;
}

}  // namespace

ModuleSet::ModuleSet(std::vector<std::unique_ptr<Program>> programs, const Description& description,
                     const std::vector<GivenBias>& biases, Notes& notes) {
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (place(*programs[i], description, given_bias(*programs[i], i == 0, biases), notes))
      modules_.push_back(std::move(programs[i]));
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

std::optional<DataObject> ModuleSet::object(std::uint64_t address, const std::string& name) const {
  const Program* const own = module_at(address);
  if (own != nullptr)
    if (auto found = own->object(address, name)) return found;
  for (const auto& module : modules_)
    if (module.get() != own)
      if (auto found = module->object(name)) return found;
  return std::nullopt;
}

std::vector<StaticLocal> ModuleSet::static_locals(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->static_locals(address) : std::vector<StaticLocal>{};
}

bool ModuleSet::knows_objects() const {
  return std::ranges::all_of(modules_, [](const auto& module) { return module->knows_objects(); });
}

std::optional<LocalVariable> ModuleSet::local(std::uint64_t address, FrameOffset offset) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->local(address, offset) : std::nullopt;
}

std::vector<RegisterVariable> ModuleSet::register_variables(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module != nullptr ? module->register_variables(address) : std::vector<RegisterVariable>{};
}

bool ModuleSet::frame_base_adds(std::uint64_t address) const {
  const Program* const module = module_at(address);
  return module == nullptr || module->frame_base_adds(address);
}

const Type* ModuleSet::type_of(std::uint64_t address, const std::string& expression) const {
  const Program* const own = module_at(address);
  if (own != nullptr)
    if (const Type* const type = own->type_of(address, expression)) return type;
  for (const auto& module : modules_)
    if (module.get() != own)
      if (const Type* const type = module->type_of(address, expression)) return type;
  return nullptr;
}

}  // namespace convert::tfile
