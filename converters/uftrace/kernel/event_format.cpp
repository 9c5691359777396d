#include "converters/uftrace/kernel/event_format.h"

#include <algorithm>

#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {
namespace {

// The number behind `key`, which a line may have once.
std::optional<std::size_t> number_of(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = trimmed(line.substr(at + key.size()));
  return take_number<std::size_t>(rest);
}

// "unsigned long func", "char comm[16]", "__data_loc char[] name".
void declare(EventField& field, std::string_view declaration) {
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
  if (field.type.starts_with("__data_loc")) field.where = EventField::Where::Dynamic;
  if (field.type.starts_with("__rel_loc")) field.where = EventField::Where::Relative;
}

std::optional<EventField> parse_field(std::string_view line) {
  constexpr std::string_view kKey = "field:";
  line = trimmed(line);
  const std::size_t end = line.find(';');
  if (!line.starts_with(kKey) || end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(end);
  const auto offset = number_of(rest, "offset:"), size = number_of(rest, "size:");
  EventField field;
  declare(field, line.substr(kKey.size(), end - kKey.size()));
  if (field.name.empty() || !offset || !size) return std::nullopt;
  field.offset = *offset;
  field.size = *size;
  field.is_signed = number_of(rest, "signed:").value_or(0) != 0;
  return field;
}

}  // namespace

const EventField* EventFormat::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &EventField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::vector<EventField> parse_fields(std::string_view text) {
  std::vector<EventField> fields;
  Lines lines(text);
  while (const auto line = lines.next())
    if (auto field = parse_field(*line)) fields.push_back(std::move(*field));
  return fields;
}

std::optional<EventFormat> parse_format(std::string_view system, std::string_view name,
                                        std::string_view text) {
  constexpr std::size_t kMaxId = 0xffff;
  const auto id = number_of(text, "ID:");
  if (!id || *id > kMaxId) return std::nullopt;
  return EventFormat{.system = std::string(system),
                     .name = std::string(name),
                     .id = static_cast<std::uint16_t>(*id),
                     .fields = parse_fields(text),
                     .text = std::string(text)};
}

}  // namespace convert::uftrace
