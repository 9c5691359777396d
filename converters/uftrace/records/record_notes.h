// Notes about one record file, with the offset of the current record.
#pragma once

#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/records/record_cursor.h"

namespace convert::uftrace {

class RecordNotes {
 public:
  // `notes` and `path` must outlive this object. If `is_growing`, the recorder is still writing the file, and
  // its end may be incomplete.
  RecordNotes(Notes& notes, const std::string& path, bool is_growing = false)
      : notes_(notes), path_(path), is_growing_(is_growing) {}

  // Sets the offset of the current record, which the next notes contain.
  void move_to(std::uint64_t offset) { offset_ = offset; }
  std::uint64_t offset() const { return offset_; }
  Location location() const { return Location::byte(path_, offset_); }
  const std::string& path() const { return path_; }
  Notes& all() { return notes_; }

  void add(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1) {
    add(
        kind, [&] { return problem; }, count);
  }
  // Adds a note of a frequent kind. `problem` makes the text, and is called only if the text is kept.
  template <std::invocable Problem>
  void add(const NoteKind& kind, Problem&& problem, std::uint64_t count = 1) {
    notes_.add(
        kind, [&] { return fmt::format("{}: {}", location().text(), problem()); }, count);
  }
  // Adds a note if the item is a loss, has an impossible time, or is unreadable. Also calls move_to() for the
  // item. `is_last` is true if the file ends with the item.
  void add_item(const RecordItem& item, bool is_last);
  void add_time_reversed(const RecordItem& call);

 private:
  Notes& notes_;
  const std::string& path_;
  bool is_growing_;
  std::uint64_t offset_ = 0;
};

inline void RecordNotes::add_item(const RecordItem& item, bool is_last) {
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
            return fmt::format("truncated: {} needs {} bytes, but {} are left",
                               item.needed == kRecordSize ? "a record" : "the event", item.needed, bytes);
          },
          bytes);
      break;
    case RecordItem::What::Call:
    case RecordItem::What::Event:
      break;
  }
}

inline void RecordNotes::add_time_reversed(const RecordItem& call) {
  add(call.has_two_writers ? kSharedFile : kTimeWentBack, [&] {
    return fmt::format("the record's time is {} ns before the time of a previous record",
                       call.before_ns - call.call.time_ns);
  });
}

}  // namespace convert::uftrace
