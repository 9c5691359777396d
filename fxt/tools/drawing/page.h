// A picture in a page that can be zoomed and searched: one file, which asks for nothing else.
#pragma once

#include <string>
#include <string_view>

namespace fxt::tools {

// Without scripts, it is the picture alone.
std::string page_of(std::string_view title, std::string_view svg);

}  // namespace fxt::tools
