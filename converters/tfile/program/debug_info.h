// Finds the functions, variables and types that are visible at a code address, in the DWARF of a program.
// Also has the program's global names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "converters/tfile/description/register_layout.h"
#include "converters/tfile/program/call_frames.h"
#include "converters/tfile/program/die.h"
#include "converters/tfile/program/die_scopes.h"
#include "converters/tfile/program/global_names.h"
#include "converters/tfile/program/location_lists.h"
#include "converters/tfile/program/type_table.h"
#include "fxt/hash.h"
#include "fxt/support/budget.h"

namespace convert::tfile {

inline constexpr fxt::Limit kVariables{"variables of a function", 4096, 0};
// A limit for all addresses together. A function's variables count again for each address that has frames.
inline constexpr fxt::Limit kScopeVariables{"variables at code addresses", 4'000'000, 400};
// libdw allocates some 40 bytes for each byte of operations, and does not free this memory.
inline constexpr fxt::Limit kLocations{"MiB of locations of variables", 2 * fxt::kMiB, 100};
// A list counts again for each address that has frames.
inline constexpr fxt::Limit kLocationLists{"MiB of lists of locations to search", 512 * fxt::kMiB,
                                           50 * fxt::kKiB};
// Functions and units count again for each address that has frames, and for each name that is looked up.
inline constexpr fxt::Limit kSearched{"MiB of debug information to search", 2048 * fxt::kMiB,
                                      200 * fxt::kKiB};
// Even a small file can have very many ranges, because all units and functions may refer to the same long
// list.
inline constexpr fxt::Limit kCodeRanges{"code ranges of compilation units and functions", 1'000'000, 100};

class DebugInfo;

// The file with the debug information of a module: the program itself, or another file.
std::filesystem::path debug_file_of(Dwfl_Module* module);

// The units of a program's DWARF.
class DebugUnits {
 public:
  struct Function {
    Dwarf_Addr begin, end;
    Dwarf_Die die;
  };
  struct Unit {
    Dwarf_Die die{};
    bool is_read = false;
    std::vector<Function> functions = {};  // by address; read on first use
    std::optional<GlobalNames> own_names = {};

    // Returns null if no function is described at `pc`.
    const Function* function_at(Dwarf_Addr pc, fxt::Budget& ranges);
    GlobalNames& names(DieScopes& scopes) {
      return own_names ? *own_names : own_names.emplace(std::span(&die, 1), scopes);
    }
  };

  // A program without DWARF has a null `dwarf`, and no units. `program` is the path of the file with the
  // DWARF. `ranges` is a budget of kCodeRanges. Ranges that exceed this budget are left out.
  DebugUnits(Dwarf* dwarf, const std::filesystem::path& program, fxt::Budget& ranges);

  std::vector<Unit>& all() { return units_; }
  std::vector<Unit*> around(Dwarf_Addr pc);
  // The names of missing files that should contain parts of units. Empty if no file is missing.
  const std::vector<std::string>& missing_files() const { return missing_files_; }
  // If libdw must not open a file with parts of units: the path of the file, and the reason. Otherwise empty.
  const std::string& unsafe_file() const { return unsafe_file_; }
  std::optional<Dwarf_Die> type_of(std::uint64_t signature) const;

 private:
  struct Range {
    Dwarf_Addr begin, end;
    std::size_t unit;
  };
  std::vector<Unit> units_;
  std::vector<std::string> missing_files_;
  std::string unsafe_file_;
  std::vector<Range> ranges_;  // by address
  std::vector<std::size_t> without_ranges_;
  fxt::SeededMap<std::uint64_t, Dwarf_Die> types_;  // DIEs of type units, by signature
};

struct FoundName {
  DebugInfo* info = nullptr;
  Dwarf_Die die{};
  bool is_of_other_call = false;  // declared by a function that has no code at this address
};

// The scope of a code address: everything that is visible there.
struct CodeScope {
  struct Variable {
    std::string name;
    Dwarf_Die die;
    bool is_parameter = false;
  };
  DebugInfo* info = nullptr;
  Dwarf_Addr pc = 0;  // code address as in DWARF, without the load bias
  Dwarf_Die unit{};
  std::vector<Dwarf_Die> functions;  // innermost first; all but the last are inlined
  // The innermost function and its blocks that contain the address, innermost first. An abstract origin
  // comes after its instance.
  std::vector<Dwarf_Die> blocks;
  // The blocks of abstract origins that have code of their own in the instance, sorted.
  std::vector<const void*> instantiated;
  // The classes and namespaces of the innermost function, innermost first, and then its unit.
  struct Enclosing {
    Dwarf_Die die;
    std::string prefix;  // "plant::Tap::"
  };
  std::vector<Enclosing> enclosing;
  // The variables of the innermost function. Variables of inner blocks come first. In each block, static
  // members of classes and variables of namespaces come last, because users can also write them as in
  // "Class::member".
  std::vector<Variable> variables;
  // The parameters of the outermost function, if another function is inlined at the address. For $args, GDB
  // also collects these.
  std::vector<Variable> outer_parameters;
  DebugUnits::Unit* file = nullptr;        // null if the scope has only global names
  bool has_types_only = false;             // names of objects and functions have no meaning in this scope
  DwarfFrame unwind{nullptr, &std::free};  // null if unknown

  mutable fxt::SeededMap<std::string, std::optional<FoundName>> known_names;  // see look_up()
  // The results of dwarf_getlocation_addr() for locations at this address. The key is the position of the
  // attribute's data in memory.
  struct Operations {
    int found = 0;  // 1 if there are operations, 0 if there are none, negative on errors
    std::span<const Dwarf_Op> operations = {};
  };
  mutable std::unordered_map<const void*, Operations> known_operations;

  std::uint64_t bias() const;  // added to addresses in DWARF
  const Variable* find(std::string_view name) const;
};

class DebugInfo {
 public:
  DebugInfo(Dwfl_Module* module, unsigned elf_machine, unsigned address_bytes, std::uint64_t file_bytes);

  void set_load_bias(std::uint64_t bias) { load_bias_ = bias; }
  std::uint64_t bias() const { return load_bias_ + dwarf_bias_; }

  // Returns null if no function is described at `address`, which is an address in the recording, or if a
  // limit is exceeded. The result is valid until the next scope_at(), add_other() or remove_other().
  const CodeScope* scope_at(std::uint64_t address);

  void add_other(DebugInfo& other) {
    others_.push_back(&other);
    forget_names();
  }
  void remove_other(const DebugInfo& other) {
    std::erase(others_, &other);
    forget_names();
  }
  const std::vector<DebugInfo*>& others() const { return others_; }
  // A scope without functions, which has only global names. The program's first unit defines the language.
  const CodeScope& global_scope();
  // A scope that has only the types of this module. Used for code that no debug information describes, for
  // example in other modules.
  const CodeScope& types_scope();

  Dwarf* dwarf() const { return dwarf_; }
  TypeTable& types() { return types_; }
  DieScopes& die_scopes() { return die_scopes_; }
  GlobalNames& globals();
  // Read on first use.
  DebugUnits& units() { return units_ ? *units_ : units_.emplace(dwarf_, debug_file_of(module_), ranges_); }
  // Describes what is left out because a limit is exceeded: "more than …; some functions are unknown".
  std::vector<std::string> left_out() const;
  bool has_code_at(Dwarf_Die die, Dwarf_Addr pc);
  // Returns false if searching this many bytes exceeds the limit.
  bool takes_search(std::size_t bytes) { return searched_.take(bytes); }
  // Like tfile::children_of(), but the work counts against a limit for the whole program.
  Children children_of(Dwarf_Die parent) { return tfile::children_of(parent, &searched_); }
  // True if libdw may read the operations of a location, which are `bytes` long. Operations that libdw has
  // already read are always allowed. `place` identifies the location.
  bool takes_operations(const void* place, std::uint64_t bytes);
  // True if libdw may look for an address in the list of locations that the attribute refers to.
  bool takes_list(Dwarf_Attribute& attribute);
  unsigned address_bytes() const { return address_bytes_; }
  // The DIE that an attribute refers to. Also finds DIEs in type units. libdw finds these only before it
  // reads other units.
  std::optional<Dwarf_Die> referred(Dwarf_Die die, unsigned attribute);

  // Called for each object of the module's symbol table, in the table's order. `name` must stay valid.
  void add_object(std::string_view name, const GElf_Sym& symbol, GElf_Addr address);
  // Finds the address of an external variable in the symbol tables of all modules. Needed if DWARF has no
  // address: after link-time optimization, or if DWARF has only a declaration of the variable. The result is
  // an address in the recording.
  std::optional<std::uint64_t> address_by_symbol(Dwarf_Die variable);

  // The rules to find the caller of code at `address`; null if unknown. The result is valid until the next
  // call_frame_at().
  const CallFrame* call_frame_at(std::uint64_t address) {
    return call_frames_.rules_at(address - load_bias_, general_registers());
  }

  // The registers that a call may save have DWARF numbers below this number.
  std::size_t general_registers() const { return std::min<std::size_t>(registers_.size(), 72); }
  // The register with this DWARF number; null if the target does not have it.
  const Register* register_of(std::uint64_t number, const RegisterLayout* layout);

 private:
  // Must be called when a module is added or removed, because names may then have another meaning.
  void forget_names() {
    scopes_.clear();
    global_scope_.known_names.clear();
    types_scope_.known_names.clear();
  }
  std::unique_ptr<CodeScope> scope_of(DebugUnits::Unit& unit, const Dwarf_Die& function, Dwarf_Addr pc);

  Dwfl_Module* module_;
  Dwarf* dwarf_ = nullptr;  // null if the module has no DWARF
  Dwarf_Addr dwarf_bias_ = 0;
  std::uint64_t load_bias_ = 0;
  unsigned address_bytes_;
  TypeTable types_;
  DieScopes die_scopes_;
  std::optional<GlobalNames> globals_;  // read on first use
  fxt::SeededMap<std::string_view, GElf_Addr> objects_;
  CodeScope global_scope_, types_scope_;
  std::vector<DebugInfo*> others_;
  CallFrames call_frames_;
  fxt::Budget ranges_;
  std::optional<DebugUnits> units_;
  fxt::SeededMap<Dwarf_Addr, std::unique_ptr<CodeScope>> scopes_;
  std::size_t kept_variables_ = 0;
  bool has_left_out_variables_ = false;
  fxt::Budget scope_variables_, locations_, searched_lists_, searched_;
  LocationLists lists_;
  std::unordered_set<const void*> known_locations_;
  struct KnownRegister {
    std::string name;
    std::optional<const Register*> reg;  // nothing: not searched yet
  };
  std::vector<KnownRegister> registers_;  // by number in DWARF
};

}  // namespace convert::tfile
