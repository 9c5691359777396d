#include "converters/uftrace/kernel/kernel_header.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kBlock = "TRACEFS: ";
// What a page may have: the smallest holds an event, the largest known kernel's is 64 KiB.
constexpr std::size_t kMinPage = 64, kMaxPage = std::size_t{1} << 20;

class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::filesystem::path& path, Notes& notes)
      : rest_(text), path_(path), notes_(notes) {}

  KernelHeader read() {
    while (!rest_.empty()) take_line();
    return std::move(header_);
  }

 private:
  void take_line() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    ++number_;
    if (!take(line)) note_damage("expected PAGE_SIZE, LONG_SIZE, ENDIAN or TRACEFS");
  }

  bool take(std::string_view line) {
    if (const auto value = value_of(line, "PAGE_SIZE: ")) return take_page_size(*value);
    if (const auto value = value_of(line, "LONG_SIZE: ")) return take_long_size(*value);
    if (const auto value = value_of(line, "ENDIAN: ")) return take_order(*value);
    if (const auto value = value_of(line, kBlock)) return take_block(*value);
    return line.empty();
  }

  bool take_page_size(std::string_view text) {
    const auto size = whole_number<std::size_t>(text);
    if (!size || !std::has_single_bit(*size) || *size < kMinPage || *size > kMaxPage) return false;
    header_.pages.page_bytes = *size;
    return true;
  }
  bool take_long_size(std::string_view text) {
    const auto size = whole_number<std::size_t>(text);
    if (size != 4 && size != 8) return false;
    header_.pages.long_bytes = *size;
    return true;
  }
  bool take_order(std::string_view text) {
    if (text != "LE" && text != "BE") return false;
    header_.pages.order = text == "BE" ? std::endian::big : std::endian::little;
    return true;
  }

  // "<name>: <length>", and behind the line so many bytes.
  bool take_block(std::string_view head) {
    const std::size_t colon = head.rfind(": ");
    if (colon == std::string_view::npos) return false;
    const auto length = whole_number<std::size_t>(head.substr(colon + 2));
    if (!length) return false;
    std::string_view text = rest_.substr(0, *length);
    const std::string_view behind = rest_.substr(text.size());
    // A length that is wrong must not cost the blocks behind it.
    if (text.size() < *length || !(behind.empty() || behind.starts_with(kBlock))) {
      note_damage(fmt::format("a block of {} bytes does not end there", *length));
      const std::size_t next = rest_.find(fmt::format("\n{}", kBlock));
      text = rest_.substr(0, next == std::string_view::npos ? next : next + 1);
    }
    take_contents(head.substr(0, colon), text);
    rest_.remove_prefix(text.size());
    number_ += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    return true;
  }

  // Names are paths below tracefs: "events/<system>/<event>/format".
  void take_contents(std::string_view name, std::string_view text) {
    constexpr std::string_view kPrefix = "events/", kSuffix = "/format";
    if (name == "events/header_page") return take_header_page(text);
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return;
    name.remove_prefix(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return;
    if (auto format = parse_format(name.substr(0, slash), name.substr(slash + 1), text))
      header_.formats.push_back(std::move(*format));
    else
      note_damage(fmt::format("the format of {} has no ID", name));
  }

  // The kernel's own word for the size of its longs; the recorder's may be a smaller one.
  void take_header_page(std::string_view text) {
    for (const EventField& field : parse_fields(text))
      if (field.name == "commit" && (field.size == 4 || field.size == 8))
        header_.pages.long_bytes = field.size;
  }

  static std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
    if (!line.starts_with(key)) return std::nullopt;
    return line.substr(key.size());
  }
  void note_damage(std::string_view problem) {
    notes_.add(kDamagedLine, Location::line(path_.native(), number_), problem);
  }

  std::string_view rest_;
  const std::filesystem::path& path_;
  Notes& notes_;
  std::uint64_t number_ = 0;  // of the line at hand
  KernelHeader header_;
};

}  // namespace

const EventFormat* KernelHeader::find(std::string_view system, std::string_view name) const {
  const auto found = std::ranges::find_if(
      formats, [&](const EventFormat& format) { return format.system == system && format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

std::optional<KernelHeader> read_kernel_header(const std::filesystem::path& directory, Notes& notes) {
  const auto path = directory / "kernel_header";
  const auto text = read_optional_file(path, notes);
  if (!text) return std::nullopt;
  return HeaderReader(*text, path, notes).read();
}

}  // namespace convert::uftrace
