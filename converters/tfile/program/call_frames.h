// The call frame information of a module (DWARF 5, section 6.4). For a code address, it describes how to find
// the caller, and the values that registers have in the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <memory>
#include <vector>

#include "fxt/hash.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

// Limits the bytes that libdw reads. For each address, libdw may read the function's whole entry in the call
// frame information.
inline constexpr fxt::Limit kCallFrameBytes{"MiB of call frame information to evaluate", 1024 * fxt::kMiB,
                                            100 * fxt::kKiB};

using DwarfFrame = std::unique_ptr<Dwarf_Frame, decltype(&std::free)>;

struct CallFrame {
  struct Rule {
    std::size_t reg;                   // its number in DWARF
    std::vector<Dwarf_Op> operations;  // compute the register's value in the caller; empty if it is lost
  };
  std::vector<Dwarf_Op> cfa;       // operations that compute the canonical frame address
  std::vector<Rule> rules;         // registers without a rule have the same value in the caller
  std::size_t return_address = 0;  // number of the register that stands for the return address
  bool is_signal = false;          // the caller was interrupted by a signal, and made no call
};

class CallFrames {
 public:
  CallFrames(Dwfl_Module* module, std::uint64_t file_bytes)
      : module_(module), work_(kCallFrameBytes, file_bytes) {}

  // Returns null if no frame is described at `pc`, which is an address in the module.
  DwarfFrame find(Dwarf_Addr pc);
  // Like find(), but returns the rules for the registers whose DWARF numbers are below `registers`. The next
  // call invalidates the result.
  const CallFrame* rules_at(Dwarf_Addr pc, std::size_t registers);

  const fxt::Budget& work() const { return work_; }

 private:
  // The call frame information in the section .debug_frame or .eh_frame.
  struct Table {
    Dwarf_CFI* cfi = nullptr;  // null if the module lacks the section
    Dwarf_Addr bias = 0;
    std::uint64_t longest_entry = 0;  // bytes
  };
  const std::vector<Table>& tables();

  Dwfl_Module* module_;
  fxt::Budget work_;
  std::vector<Table> tables_;  // read on first use
  fxt::SeededMap<Dwarf_Addr, std::unique_ptr<CallFrame>> known_;
};

}  // namespace convert::tfile
