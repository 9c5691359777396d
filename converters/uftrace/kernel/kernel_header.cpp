#include "converters/uftrace/kernel/kernel_header.h"

#include <array>
#include <fmt/format.h>
#include <limits>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/support/budget.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kBlockMark = "TRACEFS: ";
// The smallest page has space for an event. The largest known pages of a kernel have 64 KiB.
constexpr std::size_t kMinPage = 64, kMaxPage = std::size_t{1} << 20;
// The kernel's own events have at most 130 fields. Damaged formats could have many overlapping fields.
constexpr fxt::Limit kFields{"fields of a kernel event that are shown", 256, 0};

// ---- Formats of events ----

// Returns the number after the first `key` in the text.
std::optional<std::size_t> number_of(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = trimmed(text.substr(at + key.size()));
  return consume_number<std::size_t>(rest);
}

// Parses "unsigned long func", "char comm[16]", "__data_loc char[] name".
void parse_declaration(std::string_view declaration, EventField& field) {
  declaration = trimmed(declaration);
  std::string_view brackets;
  if (declaration.ends_with(']')) {
    const std::size_t open = declaration.rfind('[');
    if (open != std::string_view::npos) {
      brackets = declaration.substr(open);
      declaration = trimmed(declaration.substr(0, open));
    }
  }
  std::size_t name = declaration.size();
  while (name > 0 && is_word_character(declaration[name - 1])) --name;
  field.name = declaration.substr(name);
  field.type = std::string(trimmed(declaration.substr(0, name))).append(brackets);
  field.is_array = field.type.ends_with(']');
  if (field.type.starts_with("__data_loc")) field.storage = EventField::Storage::DataLocation;
  if (field.type.starts_with("__rel_loc")) field.storage = EventField::Storage::RelativeLocation;
}

std::optional<EventField> parse_field(std::string_view line) {
  constexpr std::string_view kKey = "field:";
  line = trimmed(line);
  const std::size_t end = line.find(';');
  if (!line.starts_with(kKey) || end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(end);
  const auto offset = number_of(rest, "offset:"), size = number_of(rest, "size:");
  EventField field;
  parse_declaration(line.substr(kKey.size(), end - kKey.size()), field);
  if (field.name.empty() || !offset || !size) return std::nullopt;
  field.offset = *offset;
  field.size = *size;
  field.is_signed = number_of(rest, "signed:").value_or(0) != 0;
  return field;
}

// Returns nothing if the format has no usable id.
std::optional<EventFormat> parse_format(std::string_view system, std::string_view name,
                                        std::string_view text) {
  constexpr std::string_view kPrint = "print fmt:";
  const auto id = number_of(text, "ID:");
  if (!id || *id > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  const std::size_t print = text.find(kPrint);
  return EventFormat{
      .system = std::string(system),
      .name = std::string(name),
      .id = static_cast<std::uint16_t>(*id),
      .fields = parse_fields(text),
      .print_format = std::string(print == std::string_view::npos ? "" : text.substr(print + kPrint.size()))};
}

// ---- The file ----

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view path, Notes& notes)
      : rest_(text), path_(path), notes_(notes) {}

  KernelHeader parse() {
    while (!rest_.empty()) {
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
      ++line_number_;
      if (!parse_line(line)) note_damage("expected PAGE_SIZE, LONG_SIZE, ENDIAN or TRACEFS");
    }
    return std::move(header_);
  }

 private:
  bool parse_line(std::string_view line) {
    if (const auto value = value_of(line, "PAGE_SIZE: ")) return parse_page_size(*value);
    if (const auto value = value_of(line, "LONG_SIZE: ")) return parse_long_size(*value);
    if (const auto value = value_of(line, "ENDIAN: ")) return parse_byte_order(*value);
    if (const auto value = value_of(line, kBlockMark)) return parse_block(*value);
    return line.empty();
  }

  bool parse_page_size(std::string_view text) {
    const auto size = whole_number<std::size_t>(text);
    if (!size || !std::has_single_bit(*size) || *size < kMinPage || *size > kMaxPage) return false;
    header_.pages.page_bytes = *size;
    return true;
  }
  bool parse_long_size(std::string_view text) {
    const auto size = whole_number<std::size_t>(text);
    if (size != 4 && size != 8) return false;
    header_.pages.long_bytes = *size;
    return true;
  }
  bool parse_byte_order(std::string_view text) {
    if (text != "LE" && text != "BE") return false;
    header_.pages.order = text == "BE" ? std::endian::big : std::endian::little;
    return true;
  }

  // Parses a line "TRACEFS: <name>: <length>", and the `length` bytes after it.
  bool parse_block(std::string_view head) {
    const std::size_t colon = head.rfind(": ");
    if (colon == std::string_view::npos) return false;
    const auto length = whole_number<std::size_t>(head.substr(colon + 2));
    if (!length) return false;
    std::string_view text = rest_.substr(0, *length);
    const std::string_view behind = rest_.substr(text.size());
    // If the length is wrong, this block ends where the next one begins.
    if (text.size() < *length || !(behind.empty() || behind.starts_with(kBlockMark))) {
      note_damage(fmt::format("the first line of the block gives {} bytes, but the block does not end there",
                              *length));
      const std::size_t next = rest_.find(fmt::format("\n{}", kBlockMark));
      text = rest_.substr(0, next == std::string_view::npos ? next : next + 1);
    }
    parse_contents(head.substr(0, colon), text);
    rest_.remove_prefix(text.size());
    line_number_ += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    return true;
  }

  // A name is a path below tracefs: "events/<system>/<event>/format".
  void parse_contents(std::string_view name, std::string_view text) {
    constexpr std::string_view kPrefix = "events/", kSuffix = "/format";
    if (name == "events/header_page") return parse_header_page(text);
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

  // Finds the size of a `long` in the kernel. The line LONG_SIZE has only the size in the recorder, which may
  // be smaller.
  void parse_header_page(std::string_view text) {
    for (const EventField& field : parse_fields(text))
      if (field.name == "commit" && (field.size == 4 || field.size == 8))
        header_.pages.long_bytes = field.size;
  }

  static std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
    if (!line.starts_with(key)) return std::nullopt;
    return line.substr(key.size());
  }
  void note_damage(std::string_view problem) {
    notes_.add(kDamagedLine, Location::line(path_, line_number_), problem);
  }

  std::string_view rest_;
  std::string_view path_;
  Notes& notes_;
  std::uint64_t line_number_ = 0;
  KernelHeader header_;
};

}  // namespace

const EventField* EventFormat::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &EventField::name);
  return found == fields.end() ? nullptr : &*found;
}

IntegerField EventFormat::integer(std::string_view field) const {
  const EventField* const found = find(field);
  const bool is_integer = found != nullptr && !found->is_array &&
                          found->storage == EventField::Storage::Inline && std::has_single_bit(found->size) &&
                          found->size <= sizeof(std::uint64_t) &&
                          found->offset <= std::numeric_limits<std::uint16_t>::max();
  if (!is_integer) return {};
  return {.offset = static_cast<std::uint32_t>(found->offset),
          .size = static_cast<std::uint8_t>(found->size)};
}

std::vector<EventField> parse_fields(std::string_view text) {
  std::vector<EventField> fields;
  Lines lines(text);
  fxt::Budget budget(kFields);
  while (const auto line = lines.next())
    if (auto field = parse_field(*line); field && budget.take()) fields.push_back(std::move(*field));
  return fields;
}

std::optional<KernelHeader> read_kernel_header(const Directory& directory, Notes& notes) {
  const fxt::FilePlace place = directory.file("kernel_header");
  const auto text = read_optional_file(place, notes);
  if (!text) return std::nullopt;
  return HeaderParser(*text, place.text(), notes).parse();
}

std::vector<GraphFormat> graph_formats_of(const KernelHeader& header) {
  // Since Linux 6.13, entries with a return address have their own event type.
  constexpr std::array<std::string_view, 2> kEntries{"funcgraph_entry", "fgraph_retaddr_entry"};
  constexpr std::size_t kGraphFormats = 16;  // intact files have at most 3
  std::vector<GraphFormat> found;
  for (const EventFormat& format : header.formats) {
    const bool is_entry = std::ranges::count(kEntries, format.name) != 0;
    if (format.system != "ftrace" || (!is_entry && format.name != "funcgraph_exit")) continue;
    GraphFormat graph{.id = format.id,
                      .is_entry = is_entry,
                      .function = format.integer("func"),
                      .depth = format.integer("depth")};
    if (!graph.function.exists()) continue;
    if (found.size() == kGraphFormats) break;
    graph.value = format.integer(is_entry ? "retaddr" : "retval");
    if (is_entry && !graph.value.exists()) graph.value = format.integer("graph_retaddr");
    found.push_back(graph);
  }
  return found;
}

}  // namespace convert::uftrace
