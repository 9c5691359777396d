#include "converters/model/reading/text_file.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <limits>
#include <span>

#include "converters/model/reading/input_file.h"
#include "converters/model/reading/stored_bytes.h"
#include "converters/model/reading/text.h"
#include "fxt/support/budget.h"
#include "fxt/support/compressed_files.h"
#include "fxt/support/memory_limit.h"

namespace convert {
namespace {

// Each damaged line causes an exception, which takes about 3 us.
constexpr fxt::Limit kDamagedLines{"damaged lines in all text files", 2'000'000, 0};
std::atomic<std::uint64_t> damaged_lines = 0;

}  // namespace

std::optional<std::string> read_text_file(const fxt::FilePlace& place, std::size_t limit_bytes) {
  if (place.status().kind == fxt::FilePlace::Status::Kind::Missing) return std::nullopt;
  const InputFile file(place);
  const std::uint64_t size = std::min<std::uint64_t>(file.size(), limit_bytes);
  check_holes(file, size);
  fxt::check_memory(size);
  std::string text(size, '\0');
  text.resize(file.read_available(0, std::as_writable_bytes(std::span(text))).size());
  return text;
}

std::optional<std::string_view> Lines::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  fxt::check_memory();
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool LineReader::accept(std::string_view text) {
  if (!rest_.starts_with(text)) return false;
  rest_.remove_prefix(text.size());
  return true;
}

void LineReader::expect(std::string_view text) {
  if (!accept(text)) fail(fmt::format("expected \"{}\"", text));
}

void LineReader::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

std::uint64_t LineReader::decimal(std::string_view what) {
  const auto number = consume_number(rest_);
  if (!number) fail(fmt::format("expected {}, a decimal number", what));
  return *number;
}

std::uint64_t LineReader::hexadecimal(std::string_view what) {
  const auto number = consume_number(rest_, 16);
  if (!number) fail(fmt::format("expected {}, a hexadecimal number", what));
  return *number;
}

std::string_view LineReader::word(std::string_view what) {
  const auto* const end = std::ranges::find_if(rest_, is_blank);
  const std::string_view word(rest_.begin(), end);
  if (word.empty()) fail(fmt::format("expected {}", what));
  rest_.remove_prefix(word.size());
  return word;
}

std::uint64_t LineReader::seconds_as_ns(std::string_view what) {
  const std::uint64_t seconds = decimal(what);
  std::uint64_t ns = 0;
  if (accept(".")) {
    for (std::uint64_t unit = kNsPerSecond / 10;
         !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; unit /= 10, rest_.remove_prefix(1))
      ns += unit * static_cast<std::uint64_t>(rest_.front() - '0');
  }
  if (seconds > (std::numeric_limits<std::uint64_t>::max() - ns) / kNsPerSecond)
    fail(fmt::format("{} is out of range", what));
  return seconds * kNsPerSecond + ns;
}

std::string_view LineReader::quoted(std::string_view what) {
  const std::size_t end = rest_.rfind('"');
  if (!rest_.starts_with('"') || end == 0) fail(fmt::format("expected {} in quotes", what));
  const std::string_view text = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  return text;
}

void LineReader::fail(std::string_view problem) const {
  if (++damaged_lines > kDamagedLines.of(0))
    throw fxt::FileError(fmt::format("{}: {}", path_, kDamagedLines.exceeded()));
  constexpr std::size_t kShown = 40;
  const auto found = rest_.empty() ? std::string("found the end of the line")
                                   : fmt::format("found \"{}{}\"", rest_.substr(0, kShown),
                                                 rest_.size() > kShown ? "…" : "");
  throw InputError(Location::line(path_, number_), fmt::format("{}, {}", problem, found));
}

}  // namespace convert
