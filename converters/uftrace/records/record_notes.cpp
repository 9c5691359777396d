#include "converters/uftrace/records/record_notes.h"

#include <fmt/format.h>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

void note_item(const RecordItem& item, bool is_last, const std::string& path, Notes& notes) {
  const auto note = [&](const NoteKind& kind, std::uint64_t count, const auto& problem) {
    notes.add(
        kind, [&] { return fmt::format("{}: {}", Location::byte(path, item.begin).text(), problem()); },
        count);
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

void note_time_went_back(const RecordItem& item, const std::string& path, Notes& notes) {
  notes.add(kTimeWentBack, [&] {
    return fmt::format("{}: the record's time is {} ns before the last one",
                       Location::byte(path, item.begin).text(), item.before_ns - item.call.time_ns);
  });
}

}  // namespace convert::uftrace
