#include "fxt/support/json_text.h"

#include <fmt/format.h>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fxt/support/text.h"

namespace fxt {

std::string json_text(const Json& json, int indent) {
  const std::string dumped = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  TextBuffer text;
  for (std::string_view rest = dumped; !rest.empty();) {
    const Character character = first_character(rest);
    // A line end can only be between two entries, because dump() has escaped the line ends in strings.
    if (character.is_shown || character.bytes == "\n")
      append_text(text, character.bytes);
    else
      append_json_escape(text, character.bytes);
    rest.remove_prefix(character.bytes.size());
  }
  return fmt::to_string(text);
}

}  // namespace fxt
