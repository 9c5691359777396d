// Texts as they are in the file, which some rules ask about. Internal to the Writer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fxt {

// `text` as a record holds it: repaired, and cut at `max_bytes`. `kept` keeps what had to be repaired.
std::string_view as_written(std::string_view text, std::size_t max_bytes, std::string& kept);

}  // namespace fxt
