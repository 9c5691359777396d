// The file `extern.dat`: messages that other programs or people wrote to this file during the recording. Each
// line has a time and a text, but no thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// The longest message. It fits into a record, even if invalid UTF-8 is replaced by longer characters. uftrace
// itself reads only 1 KiB.
inline constexpr std::size_t kMaxMessageBytes = 8192;

struct ExternMessage {
  std::uint64_t time_ns;
  std::uint64_t line;
  std::string text;
  friend bool operator==(const ExternMessage&, const ExternMessage&) = default;
};

// Returns the messages in file order.
std::vector<ExternMessage> parse_extern(std::string_view text, std::string_view path, Notes& notes);
// Returns an empty list if the file does not exist.
std::vector<ExternMessage> read_extern_file(const Directory& directory, Notes& notes);

// Drops messages whose times come from another clock, and adds notes. A time is assumed to come from another
// clock if it is too far from `begin_ns`, the start of the recording. `elapsed_ns` is the length of the
// recording.
void drop_foreign_messages(std::vector<ExternMessage>& messages, const std::filesystem::path& directory,
                           std::uint64_t begin_ns, std::optional<std::uint64_t> elapsed_ns, Notes& notes);
// Sorts the messages. Messages with equal times stay in file order. Adds a note for each message with an
// earlier time than a message before it.
void sort_by_time(std::vector<ExternMessage>& messages, const std::filesystem::path& directory, Notes& notes);

}  // namespace convert::uftrace
