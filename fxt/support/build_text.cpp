// Lists the components from which a program was built. This file is compiled again for each commit, because
// the text has the commit's id.
#include <fmt/format.h>
#include <string>
#include <string_view>

#include <boost/version.hpp>

#include "fxt/support/program_text.h"

namespace fxt {

std::string build_text(std::string_view libraries) {
#ifdef __clang__
  constexpr std::string_view kCompiler = "";  // clang's version string contains the name
#else
  constexpr std::string_view kCompiler = "gcc ";
#endif
  return fmt::format("commit {}, {}{}\n{}{}Boost {}\n", FXT_COMMIT, kCompiler, __VERSION__, libraries,
                     libraries.empty() ? "" : ", ", BOOST_LIB_VERSION);
}

}  // namespace fxt
