// The names of the arguments that show values of the program.
#pragma once

#include <string>
#include <string_view>

namespace convert::tfile {

// The text of an item or value, changed as little as possible so that Perfetto can show it. Perfetto makes a
// tree from the dots and indexes in names. It shows no argument of an event if a node has both a value and
// parts, or if an index is not a small number. Therefore, `loc.x` becomes "loc (program).x", because each
// frame has an argument `loc`, and `a[i]` becomes "a(i)".
std::string argument_name(std::string_view text);

}  // namespace convert::tfile
