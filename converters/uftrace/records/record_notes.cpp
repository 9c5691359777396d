#include "converters/uftrace/records/record_notes.h"

#include <fmt/format.h>

#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {

void RecordNotes::add_item(const RecordItem& item, bool is_last) {
  move_to(item.begin);
  const bool is_tail =
      is_last && (item.what == RecordItem::What::Zeros || item.what == RecordItem::What::Truncated);
  if (is_growing_ && is_tail) return;
  const std::uint64_t bytes = item.end - item.begin;
  switch (item.what) {
    case RecordItem::What::Loss:
      add(
          kRecordsLost,
          [&] {
            return fmt::format("the recorder lost {} {}", item.call.address,
                               item.call.address == 1 ? "record" : "records");
          },
          item.call.address);
      break;
    case RecordItem::What::BadTime:
      add(kBadTime,
          [&] { return fmt::format("a record time of {} ns is impossible here", item.call.time_ns); });
      break;
    case RecordItem::What::NotRecords:
      add(
          kDamagedBytes,
          [&] {
            return "not records, up to " +
                   (is_last ? std::string("the end of the file") : fmt::format("+{:#x}", item.end));
          },
          bytes);
      break;
    case RecordItem::What::Zeros:
      add(is_last ? kTruncatedTail : kZeroFilled, "zeros instead of records", bytes);
      break;
    case RecordItem::What::Truncated:
      add(
          kTruncatedTail,
          [&] {
            return fmt::format("truncated: {} needs {} bytes, {} left",
                               item.needed == kRecordSize ? "a record" : "the event", item.needed, bytes);
          },
          bytes);
      break;
    case RecordItem::What::Call:
    case RecordItem::What::Event:
      break;
  }
}

void RecordNotes::add_time_reversed(const RecordItem& call) {
  add(kTimeWentBack, [&] {
    return fmt::format("the record's time is {} ns before the last one", call.before_ns - call.call.time_ns);
  });
}

}  // namespace convert::uftrace
