// Recognizes files and directories that are not traces, and names the program that reads them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fxt {

// The first 512 bytes of a file show its kind.
inline constexpr std::size_t kKindBytes = 512;

// Returns "a core file; open it in GDB", for example. Empty if unknown, or if fxt-convert converts the file.
std::string foreign_kind_of(const std::string& path);

// "; download the file first" if the path is a URL, and otherwise "".
std::string_view advice_for_url(std::string_view path);

// The directory of the uftrace recording, if `path` is a recording or a file in one. Otherwise empty.
std::string recording_of(const std::string& path);

// Returns the reason why a file that begins with `head` can't be read as FXT, for example "is a GDB trace
// file; convert it with: fxt-convert gdb.trace". Also recognizes files in a uftrace recording, and the kinds
// of foreign_kind_of(). Empty if the kind of the file is unknown.
std::string why_no_trace(const std::string& path, std::string_view head);
// The same for a directory: "is a uftrace recording; convert it with: fxt-convert run.data".
std::string why_no_trace(const std::string& directory);

}  // namespace fxt
