#include "converters/uftrace/recording/extern_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/text.h"
#include "converters/uftrace/recording/info.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/utf8.h"

namespace convert::uftrace {
namespace {

constexpr std::string_view kName = "extern.dat";

// Parses "<seconds>.<fraction> <message>". Throws InputError if the line is damaged.
ExternMessage parse_message(LineReader& reader) {
  const std::uint64_t time_ns = reader.seconds_as_ns("time");
  if (time_ns >= kTimeLimitNs) reader.fail("time is out of range");
  const std::size_t left = reader.rest().size();
  reader.skip_blanks();
  if (reader.rest().empty() || reader.rest().size() == left)
    reader.fail("expected a blank and a message after the time");
  return {.time_ns = time_ns, .line = reader.number(), .text = std::string(reader.rest())};
}

void cut(ExternMessage& message, std::string_view path, Notes& notes) {
  const std::size_t size = message.text.size();
  if (size <= kMaxMessageBytes) return;
  message.text.resize(fxt::cut_utf8(message.text, kMaxMessageBytes).size());
  notes.add(kMessageCut, [&] {
    return fmt::format("{0}: only {2} of {1} bytes are shown", Location::line(path, message.line).text(),
                       size, message.text.size());
  });
}

}  // namespace

std::vector<ExternMessage> parse_extern(std::string_view text, std::string_view path, Notes& notes) {
  std::vector<ExternMessage> messages;
  read_lines(text, path, notes, [&](LineReader line) {
    line.skip_blanks();
    if (line.rest().empty() || line.rest().starts_with('#')) return;
    ExternMessage message = parse_message(line);
    cut(message, path, notes);
    messages.push_back(std::move(message));
  });
  return messages;
}

std::vector<ExternMessage> read_extern_file(const Directory& directory, Notes& notes) {
  const fxt::FilePlace place = directory.file(kName);
  const auto text = read_optional_file(place, notes);
  return text ? parse_extern(*text, place.text(), notes) : std::vector<ExternMessage>{};
}

void drop_foreign_messages(std::vector<ExternMessage>& messages, const std::filesystem::path& directory,
                           std::uint64_t begin_ns, std::optional<std::uint64_t> elapsed_ns, Notes& notes) {
  const std::uint64_t known_ns = elapsed_ns.value_or(0);
  std::erase_if(messages, [&](const ExternMessage& message) {
    const std::uint64_t first_ns = std::min(begin_ns, message.time_ns);
    const std::uint64_t last_ns = std::max(begin_ns, message.time_ns);
    if (!leaps_too_far(first_ns, last_ns, known_ns)) return false;
    notes.add(kForeignClock, [&] {
      return fmt::format("{}: the message is {} s {} the start of the recording",
                         Location::line((directory / kName).native(), message.line).text(),
                         (last_ns - first_ns) / kNsPerSecond,
                         message.time_ns < begin_ns ? "before" : "after");
    });
    return true;
  });
}

void sort_by_time(std::vector<ExternMessage>& messages, const std::filesystem::path& directory,
                  Notes& notes) {
  std::uint64_t latest_ns = 0;
  for (const ExternMessage& message : messages) {
    if (message.time_ns < latest_ns)
      notes.add(kMessageOrder, [&] {
        return fmt::format("{}: the message is {} ns earlier than a message on an earlier line",
                           Location::line((directory / kName).native(), message.line).text(),
                           latest_ns - message.time_ns);
      });
    latest_ns = std::max(latest_ns, message.time_ns);
  }
  std::ranges::stable_sort(messages, {}, &ExternMessage::time_ns);
}

}  // namespace convert::uftrace
