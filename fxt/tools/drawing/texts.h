// Texts of a picture: names of any bytes, and times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fxt::tools {

// Escaped for XML and HTML. What a document must not hold (ill-formed UTF-8, control characters, U+FFFE,
// U+FFFF) becomes U+FFFD.
std::string in_xml(std::string_view text);

// As in_xml(), but not escaped, and cut to `columns` of a monospaced font, with an ellipsis where it is cut.
// Wide characters count two columns. Empty if `columns` is below three.
std::string fitted(std::string_view text, double columns);

// The width of `text` in columns of the same font.
double columns_of(std::string_view text);

// "850 ns", "12.5 µs", "1.234567 ms", "4.57 s": exact, not rounded.
std::string exact_time(std::uint64_t ns);

struct Tick {
  std::uint64_t ns;
  std::string text;
};

// At most `most` round times (`most` is at least 2), all in one unit: "7.48 ms", "7.50 ms". Times are below
// 2^63.
std::vector<Tick> ticks(std::uint64_t from_ns, std::uint64_t to_ns, std::size_t most);

}  // namespace fxt::tools
