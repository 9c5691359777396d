// Compares the scopes around a DIE with those that libdw finds.
#include "converters/tfile/program/die_scopes.h"

#include <cstdlib>
#include <dwarf.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/die.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {
namespace {

void add_all(Dwarf_Die parent, std::vector<Dwarf_Die>& dies) {
  for (const Dwarf_Die& child : children_of(parent)) {
    dies.push_back(child);
    add_all(child, dies);
  }
}

std::vector<const void*> by_libdw(Dwarf_Die die) {
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&die, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  std::vector<const void*> addresses;
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
        tag == DW_TAG_subprogram)
      addresses.push_back(scopes[i].addr);
  }
  return addresses;
}

TEST(DieScopes, AreTheSameAsLibdwFinds) {
  const Program program(TRACED_FIXED, Demangle::Simple);
  DieScopes scopes;
  std::size_t nested = 0;
  for (const DebugUnits::Unit& unit : program.debug_info().units().all()) {
    std::vector<Dwarf_Die> dies;
    add_all(unit.die, dies);
    for (Dwarf_Die& die : dies) {
      const int tag = dwarf_tag(&die);
      if (tag != DW_TAG_structure_type && tag != DW_TAG_subprogram) continue;
      std::vector<const void*> found;
      for (const Dwarf_Die& scope : scopes.around(die)) found.push_back(scope.addr);
      ASSERT_EQ(found, by_libdw(die)) << dwarf_dieoffset(&die);
      if (found.size() > 1) ++nested;
    }
  }
  EXPECT_GT(nested, 10u);
}

TEST(DieScopes, GiveNamesTheirPrefix) {
  const Program program(TRACED_FIXED, Demangle::Simple);
  const CodeScope* const scope = program.scope_at(program.functions("plant::pump").front().address);
  ASSERT_NE(scope, nullptr);
  DieScopes scopes;
  const Dwarf_Die function = declaration_of(scope->functions.front());
  EXPECT_EQ(scopes.prefix(function), "plant::");
  EXPECT_EQ(scopes.prefix(function, "."), "plant.");
  EXPECT_EQ(scopes.prefix(scope->unit), "");
}

}  // namespace
}  // namespace convert::tfile
