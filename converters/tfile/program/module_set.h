// The traced program and its libraries. Each address is looked up in the module that contains it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converters/model/notes.h"
#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {

// The place where a module was loaded, as given by the user.
struct GivenBias {
  std::string module = {};  // name of the module's file; empty for the first module
  std::uint64_t bias = 0;
};

class ModuleSet : public ProgramSymbols {
 public:
  // Finds out where the programs were loaded. The first program is the executable. A null pointer stands for
  // a program that could not be used. If a program contradicts the tracepoints, adds a note. If the user gave
  // the place of such a program, it is used for names of code, but not for values. Otherwise, it is left out.
  // `locations` belong to the trace. Throws UsageError if a bias is for none of the programs.
  ModuleSet(std::vector<std::unique_ptr<Program>> programs, const TraceFile& trace,
            const LocationTable& locations, const std::vector<GivenBias>& biases, Notes& notes);

  bool empty() const { return modules_.empty(); }
  // Call this if frames contradict the module at `address`. From then on, the module is used only for
  // functions and lines, and not for values. Adds a note with `problem`.
  void contradict(std::uint64_t address, const std::string& problem, Notes& notes);

  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(const std::string& name) const override;
  std::optional<std::uint64_t> function(const std::string& symbol) const override;
  const CodeScope* scope_at(std::uint64_t address) const override;
  DebugInfo* debug_info_at(std::uint64_t address) const override;
  std::string symbol_at(std::uint64_t address) const override;
  std::span<const std::byte> constant_bytes(std::uint64_t address) const override;
  void add_notes(Notes& notes) const override;

 private:
  const Program* module_at(std::uint64_t address) const;  // null if no module has it
  bool is_contradicted(const Program* module) const;

  std::vector<std::unique_ptr<Program>> modules_;
  std::vector<const Program*> contradicted_;  // a subset of modules_
};

}  // namespace convert::tfile
