// What a file or directory is that is no trace, and which program reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fxt {

// What a file is shows in its first 512 bytes.
inline constexpr std::size_t kKindBytes = 512;

// "a core file: GDB opens it"; empty if that is not known, or fxt-convert converts it.
std::string foreign_kind_of(const std::string& path);

// The directory of the uftrace recording that `path` is, or is a file in; empty for others.
std::string recording_of(const std::string& path);

// For programs that read FXT, of a file that begins with `head`: "is a GDB trace file; convert it with:
// fxt-convert gdb.trace", the same of a file in the directory of a uftrace recording, or "is " and the kind
// above; empty if that is not known.
std::string why_no_trace(const std::string& path, std::string_view head);
// The same of a directory: "is a uftrace recording; convert it with: fxt-convert run.data".
std::string why_no_trace(const std::string& directory);

}  // namespace fxt
