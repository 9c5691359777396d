// Compares the source files of line tables with those that libdw finds.
#include <cstddef>
#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "converters/tfile/program/debug_info.h"
#include "converters/tfile/program/line_table.h"
#include "converters/tfile/program/program.h"

namespace convert::tfile {
namespace {

std::set<std::string> files_by_libdw(Dwarf_Die unit) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  std::set<std::string> names;
  if (dwarf_getsrcfiles(&unit, &files, &count) != 0) return names;
  for (std::size_t i = 1; i < count; ++i) {
    const std::string path = dwarf_filesrc(files, i, nullptr, nullptr);
    names.insert(path.substr(path.rfind('/') + 1));
  }
  return names;
}

class LineTables : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, LineTables,
                         testing::Values(TRACED_FIXED, TRACED_PIE, TRACED_LINE, TRACED_COLD, TRACED_ROWS,
                                         TRACED_COMPRESSED));

TEST_P(LineTables, HaveTheFilesThatLibdwFinds) {
  const Program program(GetParam(), Demangle::Simple);
  DebugInfo& info = program.debug_info();
  const LineFiles files(info.dwarf());
  std::set<std::string> all{"nosuch.c", "traced_program.cp"};
  for (const DebugUnits::Unit& unit : info.units().all()) all.merge(files_by_libdw(unit.die));
  std::size_t found = 0;
  for (const DebugUnits::Unit& unit : info.units().all()) {
    const std::set<std::string> own = files_by_libdw(unit.die);
    for (const std::string& name : all) EXPECT_EQ(files.may_have(unit.die, name), own.contains(name)) << name;
    found += own.size();
  }
  EXPECT_GT(found, 0u);
}

}  // namespace
}  // namespace convert::tfile
