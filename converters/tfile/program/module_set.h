// The traced program and its libraries. Each address is searched in the module that contains it.
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

// Where a module was loaded, as given by the user.
struct GivenBias {
  std::string module = {};  // the name of its file; empty: the first one
  std::uint64_t bias = 0;
};

class ModuleSet : public ProgramSymbols {
 public:
  // Finds out where the programs were loaded, and leaves out those that contradict the tracepoints. Each of
  // these gets a note. A program whose place is given is still used for the names of code, but not for
  // values. The first program is the executable. A null pointer stands for a program that could not be used.
  // `locations` are those of the trace. Throws UsageError if a bias is for none of the programs.
  ModuleSet(std::vector<std::unique_ptr<Program>> programs, const TraceFile& trace,
            const LocationTable& locations, const std::vector<GivenBias>& biases, Notes& notes);

  bool empty() const { return modules_.empty(); }
  // Of the module at an address, only functions and lines are used from now on, because of a problem that the
  // note tells.
  void contradict(std::uint64_t address, const std::string& problem, Notes& notes);

  CodeInfo code_at(std::uint64_t address) const override;
  std::optional<DataObject> object(const std::string& name) const override;
  const CodeScope* scope_at(std::uint64_t address) const override;
  DebugInfo* debug_info_at(std::uint64_t address) const override;
  std::string symbol_at(std::uint64_t address) const override;
  std::span<const std::byte> constant_bytes(std::uint64_t address) const override;
  void add_notes(Notes& notes) const override;

 private:
  const Program* module_at(std::uint64_t address) const;  // null if none has it
  bool is_contradicted(const Program* module) const;

  std::vector<std::unique_ptr<Program>> modules_;
  std::vector<const Program*> contradicted_;  // of modules_
};

}  // namespace convert::tfile
