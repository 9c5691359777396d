#include "converters/uftrace/records/record_notes.h"

#include <fmt/format.h>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

void RecordNotes::add(const NoteKind& kind, std::string_view problem, std::uint64_t count) {
  notes_.add(
      kind, [&] { return fmt::format("{}: {}", location().text(), problem); }, count);
}

void RecordNotes::add_item(const RecordItem& item, bool is_last) {
  move_to(item.begin);
  const auto note = [&](const NoteKind& kind, std::uint64_t count, const auto& problem) {
    notes_.add(
        kind, [&] { return fmt::format("{}: {}", location().text(), problem()); }, count);
  };
  const std::uint64_t bytes = item.end - item.begin;
  switch (item.what) {
    case RecordItem::What::Loss:
      note(kRecordsLost, item.call.address, [&] {
        return fmt::format("the recorder lost {} {}", item.call.address,
                           item.call.address == 1 ? "record" : "records");
      });
      break;
    case RecordItem::What::BadTime:
      note(kBadTime, 1,
           [&] { return fmt::format("a record time of {} ns is impossible here", item.call.time_ns); });
      break;
    case RecordItem::What::NotRecords:
      note(kDamagedBytes, bytes, [&] {
        return "not records, up to " +
               (is_last ? std::string("the end of the file") : fmt::format("+{:#x}", item.end));
      });
      break;
    case RecordItem::What::Zeros:
      note(is_last ? kTruncatedTail : kZeroFilled, bytes, [] { return "zeros instead of records"; });
      break;
    case RecordItem::What::Truncated:
      note(kTruncatedTail, bytes, [&] {
        return fmt::format("truncated: {} needs {} bytes, {} left",
                           item.needed == kRecordSize ? "a record" : "the event", item.needed, bytes);
      });
      break;
    case RecordItem::What::Call:
    case RecordItem::What::Event:
      break;
  }
}

void RecordNotes::add_time_reversed(const RecordItem& call) {
  notes_.add(kTimeWentBack, [&] {
    return fmt::format("{}: the record's time is {} ns before the last one", location().text(),
                       call.before_ns - call.call.time_ns);
  });
}

}  // namespace convert::uftrace
