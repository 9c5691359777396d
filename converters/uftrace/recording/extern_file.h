// The file `extern.dat`: messages that other programs, or people, wrote beside the recording (uftrace.md,
// section 15). Each line has a time and a text; whose they are is not said.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"

namespace convert::uftrace {

// Long enough for everybody (uftrace reads 1 KiB), and short enough to fit a record when it is repaired.
inline constexpr std::size_t kMaxMessageBytes = 8192;

struct ExternMessage {
  std::uint64_t time_ns;
  std::uint64_t line;
  std::string text;
  friend bool operator==(const ExternMessage&, const ExternMessage&) = default;
};

// In the order of the file.
std::vector<ExternMessage> parse_extern(std::string_view text, std::string_view path, Notes& notes);
// Nothing if there is no such file.
std::vector<ExternMessage> read_extern_file(const std::filesystem::path& directory, Notes& notes);

// Takes those out that are so far from the recording, which began at `begin_ns` and took `elapsed_ns`, that
// their times are of another clock.
void leave_out_foreign(std::vector<ExternMessage>& messages, const std::filesystem::path& directory,
                       std::uint64_t begin_ns, std::optional<std::uint64_t> elapsed_ns, Notes& notes);
// By time; those at the same time as they stand in the file.
void put_in_order(std::vector<ExternMessage>& messages, const std::filesystem::path& directory, Notes& notes);

}  // namespace convert::uftrace
