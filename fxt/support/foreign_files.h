// What a file or directory is that is no trace, and which program reads it.
#pragma once

#include <string>

namespace fxt {

// "a core file: GDB opens it"; empty if that is not known, or fxt-convert converts it.
std::string foreign_kind_of(const std::string& path);

// For programs that read FXT: "is a uftrace recording; convert it with: fxt-convert run.data", or "is " and
// the kind above; empty if that is not known.
std::string why_no_trace(const std::string& path);

}  // namespace fxt
