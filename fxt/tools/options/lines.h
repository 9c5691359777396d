// Text in lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fxt::tools {

// `text` broken at blanks into lines of at most 80 columns, all but the first indented.
std::string broken(std::string_view text, std::size_t indent);

// What empty lines separate.
std::vector<std::string_view> paragraphs_of(std::string_view text);

}  // namespace fxt::tools
