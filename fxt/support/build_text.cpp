#include "fxt/support/build_text.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <boost/version.hpp>

namespace fxt {

std::string build_text(std::string_view libraries) {
#ifdef __clang__
  constexpr std::string_view kCompiler = "";  // its version says who it is
#else
  constexpr std::string_view kCompiler = "gcc ";
#endif
  return fmt::format("commit {}, {}{}\n{}{}zlib {}, Zstandard {}, Boost {}\n", FXT_COMMIT, kCompiler,
                     __VERSION__, libraries, libraries.empty() ? "" : ", ", zlibVersion(),
                     ZSTD_versionString(), BOOST_LIB_VERSION);
}

}  // namespace fxt
