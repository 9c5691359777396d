// Counts the records of one thread for --inspect, in one pass over the file. The memory does not depend on
// the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/notes.h"
#include "converters/uftrace/arguments/payload_decoder.h"
#include "converters/uftrace/records/thread_facts.h"
#include "fxt/support/file_place.h"

namespace convert::uftrace {

// The bytes [begin, end) of the file are not records, or are one damaged record.
struct DamagedRange {
  std::uint64_t begin;
  std::uint64_t end;
  std::string_view problem;
};

struct RecordSurvey {
  static constexpr std::size_t kMaxDamage = 1000;
  // The number of ids is limited, because damage can look like an event with any id.
  static constexpr std::size_t kMaxEventIds = 1000;

  std::uint64_t records = 0;
  std::uint64_t entries = 0, exits = 0;
  std::uint64_t with_arguments = 0, with_return_value = 0;  // entries, exits
  std::uint64_t losses = 0, lost = 0;  // number of LOST records; number of records that were lost
  std::uint64_t events = 0;
  std::map<std::uint64_t, std::uint64_t> events_by_id;  // for the first kMaxEventIds ids
  std::size_t max_depth = 0;                            // maximum number of open calls
  // entries and exits whose time is less than the time of an entry or exit before them in the file
  std::uint64_t reversed = 0;
  std::optional<std::uint64_t> first_ns = {};  // earliest time of an entry, exit or event
  std::uint64_t last_ns = 0;
  std::vector<DamagedRange> damage;  // the first kMaxDamage ranges
  std::uint64_t damaged_ranges = 0, damaged_bytes = 0;

  // Adds another thread's counts, but only those that --inspect shows for all threads together.
  void add(const RecordSurvey& other);
};

// Adds the same notes about damage, losses and reversed times as the conversion. If a file can't be read to
// its end, adds a note and counts the part before.
RecordSurvey survey_records(const fxt::FilePlace& place, const ThreadFacts& facts,
                            PayloadDecoder& payload_decoder, Notes& notes);

}  // namespace convert::uftrace
