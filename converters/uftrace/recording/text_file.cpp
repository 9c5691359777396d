#include "converters/uftrace/recording/text_file.h"

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

std::optional<std::string> read_optional_file(const std::filesystem::path& path, Notes& notes,
                                              std::size_t limit_bytes) {
  try {
    return read_text_file(path, limit_bytes);
  } catch (const InputError& unreadable) {
    notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    return std::nullopt;
  }
}

}  // namespace convert::uftrace
