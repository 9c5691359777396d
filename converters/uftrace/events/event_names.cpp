#include "converters/uftrace/events/event_names.h"

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/recording/text_file.h"

namespace convert::uftrace {

EventNames parse_event_names(std::string_view text, std::string_view path, Notes& notes) {
  EventNames names;
  Lines lines(text);
  while (const auto line = lines.next()) {
    if (line->empty() || line->starts_with('#')) continue;
    try {
      LineReader reader(*line, path, lines.number());
      reader.expect("EVENT: ");
      const std::uint64_t id = reader.decimal("event id");
      reader.expect(" ");
      if (reader.rest().empty()) reader.fail("expected the event's name");
      names[id] = reader.rest();
    } catch (const InputError& damage) {
      notes.add(kDamagedLine, [&] { return std::string(damage.what()); });
    }
  }
  return names;
}

EventNames read_event_names(const std::filesystem::path& directory, Notes& notes) {
  const auto path = directory / "events.txt";
  const auto text = read_optional_file(path, notes);
  return text ? parse_event_names(*text, path.native(), notes) : EventNames{};
}

}  // namespace convert::uftrace
