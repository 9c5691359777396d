// Texts of any bytes, in XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace fxt::tools {

// Escaped; what no document may hold (ill-formed UTF-8, control characters, U+FFFE, U+FFFF) is U+FFFD.
std::string in_xml(std::string_view text);

// Not escaped, but clean: cut to so many columns of a font that gives each character one, and wide ones two,
// with an ellipsis where something is missing. Empty if there is no room for three.
std::string fitted(std::string_view text, double columns);

// Of the same font, in columns.
double columns_of(std::string_view text);

}  // namespace fxt::tools
