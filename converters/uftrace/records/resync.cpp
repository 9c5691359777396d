#include "converters/uftrace/records/resync.h"

#include "converters/uftrace/events/event_ids.h"

namespace convert::uftrace {
namespace {

bool is_lost_record(const Record& record) {
  return record.has_magic() && record.type() == RecordType::Lost && record.time_ns == 0 &&
         record.depth() == 0 && !record.has_payload() && record.address() != 0;
}

bool is_likely_time(std::uint64_t time_ns, const Expectation& expected) {
  if (time_ns == 0 || time_ns >= kTimeLimitNs) return false;
  return expected.time_ns == 0 || may_follow(time_ns, expected.time_ns);
}

bool is_timely(const Record& record, const Expectation& expected) {
  if (!record.has_magic()) return false;
  return is_lost_record(record) ||
         (record.type() != RecordType::Lost && is_likely_time(record.time_ns, expected));
}

}  // namespace

std::optional<Record> Resync::record_at(Lookahead ahead) const {
  if (ahead.bytes.size() < kRecordSize) return std::nullopt;
  return load_record(ahead.bytes.data(), facts_.order);
}

bool Resync::is_known(std::uint64_t address) const {
  if (facts_.is_code(address)) return true;
  for (std::size_t depth = open_.depth(); depth-- > 0;)
    if (open_.address_at(depth) == address) return true;
  return false;
}

Expectation Resync::after(const CallRecord& call) const {
  if (call.is_entry()) return {.time_ns = call.time_ns, .depth = call.depth + 1, .top_address = call.address};
  const bool is_caller_open = call.depth > 0 && call.depth <= open_.depth();
  return {.time_ns = call.time_ns,
          .depth = call.depth,
          .top_address = is_caller_open ? open_.address_at(call.depth - 1) : 0};
}

bool Resync::fits(const Record& record, const Expectation& expected) const {
  if (!is_timely(record, expected)) return false;
  switch (record.type()) {
    case RecordType::Entry:
      return shift_.undo(record, expected.depth) == expected.depth % kDepthModulus && record.address() != 0;
    case RecordType::Exit: {
      if (expected.depth == 0 || shift_.undo(record, expected.depth) != (expected.depth - 1) % kDepthModulus)
        return false;
      const std::uint64_t overflow = (expected.depth - 1) / kDepthModulus;  // added to the address
      return expected.top_address == 0 || record.address() == expected.top_address ||
             record.address() == expected.top_address + overflow;
    }
    case RecordType::Event:
      return record.depth() == 0 && is_event_id(record.address());
    case RecordType::Lost:
      return true;
  }
  return false;
}

// True if the next record matches the calls that are open after `record`, or if the file ends there. `open`
// is the number of open calls before `record`.
bool Resync::is_followed(Lookahead ahead, const Record& record, std::size_t open) const {
  CallRecord call = record.call();
  call.depth = shift_.undo(record, open);
  const Lookahead following = ahead.from(kRecordSize);
  const Expectation expected = after(call);
  if (!record.has_payload()) return fits_at(following, expected);
  for (std::size_t at = 0; at <= kMaxPayload && at <= following.bytes.size(); at += sizeof(std::uint64_t))
    if (const auto next = record_at(following.from(at)); next && fits(*next, expected)) return true;
  return following.at_end && following.bytes.size() <= kMaxPayload;
}

bool Resync::is_followed_by_any(Lookahead ahead, const Record& record, const Expectation& expected) const {
  if (record.has_payload()) return true;
  const auto next = record_at(ahead.from(kRecordSize));
  Expectation after_it = expected;
  if (record.type() != RecordType::Lost) after_it.time_ns = record.time_ns;
  return !next || is_timely(*next, after_it);
}

bool Resync::is_sure(Lookahead ahead, const Record& record, const Expectation& expected) const {
  if (!is_timely(record, expected) || !is_followed_by_any(ahead, record, expected)) return false;
  if (!is_call(record.type())) return fits(record, expected);
  if (!fits(record, expected))
    return is_followed(ahead, record, expected.depth) && is_known(record.address());
  const bool is_top = record.type() == RecordType::Exit && expected.top_address != 0;
  return is_top || is_followed(ahead, record, expected.depth) || is_known(record.address());
}

bool Resync::is_likely(Lookahead ahead, const Record& record, const Expectation& expected) const {
  if (!is_timely(record, expected) || !is_followed_by_any(ahead, record, expected)) return false;
  if (!is_call(record.type())) return fits(record, expected);
  return is_followed(ahead, record, expected.depth) || is_known(record.address());
}

bool Resync::fits_at(Lookahead ahead, const Expectation& expected) const {
  const auto record = record_at(ahead);
  return record ? fits(*record, expected) : ahead.at_end;
}

bool Resync::is_timely_at(Lookahead ahead, const Expectation& expected) const {
  const auto record = record_at(ahead);
  return record && is_timely(*record, expected);
}

bool Resync::is_outer_exit(Lookahead ahead, const Expectation& expected) const {
  const auto record = record_at(ahead);
  return record && record->type() == RecordType::Exit &&
         shift_.undo(*record, expected.depth) < expected.depth && is_likely(ahead, *record, expected);
}

template <typename Accept>
std::optional<std::size_t> Resync::scan(Lookahead ahead, std::size_t from, std::size_t to,
                                        Accept accept) const {
  for (std::size_t at = from; at <= to && ahead.bytes.size() - at >= kRecordSize;
       at += sizeof(std::uint64_t)) {
    const Record record = load_record(ahead.bytes.data() + at, facts_.order);
    if (record.has_magic() && accept(ahead.from(at), record)) return at;
  }
  return std::nullopt;
}

std::optional<std::size_t> Resync::find_sure(Lookahead ahead, std::size_t reach,
                                             const Expectation& expected) const {
  return scan(ahead, 0, std::min(reach, ahead.bytes.size()),
              [&](Lookahead at, const Record& record) { return is_sure(at, record, expected); });
}

std::optional<std::size_t> Resync::find_after_payload(Lookahead ahead, const Expectation& expected) const {
  if (const auto found = find_sure(ahead, kMaxPayload, expected)) return found;
  if (const auto likely = find_likely(ahead, 0, std::min(kMaxPayload, ahead.bytes.size()), expected))
    return likely;
  // No record follows the last payload of the file, so this payload has all remaining bytes.
  const std::size_t left = ahead.bytes.size();
  if (ahead.at_end && left <= kMaxPayload && left % sizeof(std::uint64_t) == 0) return left;
  return std::nullopt;
}

std::optional<std::size_t> Resync::find_likely(Lookahead ahead, std::size_t from, std::size_t reach,
                                               const Expectation& expected) const {
  return scan(ahead, from, reach,
              [&](Lookahead at, const Record& record) { return is_likely(at, record, expected); });
}

// ---- Times ----

// Returns the time of the next likely record that has a time. Skips records with a time before the thread's
// start, because they are payloads that look like records. Removes the record, and all bytes before it, from
// `ahead`.
std::optional<std::uint64_t> Resync::next_time(Lookahead& ahead) const {
  const Expectation any{};
  while (const auto found = find_likely(ahead, 0, std::min(kMaxPayload, ahead.bytes.size()), any)) {
    const Record record = load_record(ahead.bytes.data() + *found, facts_.order);
    ahead = ahead.from(*found + kRecordSize);
    if (record.type() != RecordType::Lost && record.time_ns + kCloseNs >= facts_.begun_ns)
      return record.time_ns;
  }
  return std::nullopt;
}

bool Resync::is_time_damaged(const Record& record, std::uint64_t last_ns, Lookahead following) const {
  const std::uint64_t time_ns = record.time_ns;
  if (time_ns >= kTimeLimitNs || !facts_.times.contain(time_ns)) return true;
  if (time_ns < last_ns || time_ns - last_ns < kExaminedGapNs) return false;

  // The times of the next two records show whether `time_ns` is damaged. One of the two may be damaged as
  // well. If they lead to different results, the time of the third record decides.
  const auto next_ns = next_time(following);
  const auto second_ns = next_ns ? next_time(following) : std::nullopt;

  const auto leaps = [&](std::uint64_t from_ns, std::uint64_t to_ns) {
    return leaps_too_far(from_ns, to_ns, facts_.elapsed_ns);
  };
  const auto follows = [&](std::optional<std::uint64_t> other_ns) {
    return other_ns && *other_ns >= time_ns && *other_ns - time_ns < kCloseNs;
  };
  const std::uint64_t from_ns = last_ns != 0 ? last_ns : facts_.begun_ns;
  if (from_ns != 0 && leaps(from_ns, time_ns) && !(follows(next_ns) && follows(second_ns))) return true;
  if (last_ns == 0 && next_ns && second_ns && leaps(time_ns, *next_ns) && leaps(time_ns, *second_ns))
    return true;

  const auto is_long_before = [&](std::uint64_t other_ns) {
    if (last_ns == 0) return other_ns < time_ns && time_ns - other_ns >= kCloseNs;
    const std::uint64_t earliest_ns = last_ns - std::min(last_ns, kCloseNs);  // last_ns may be damaged
    // True if the other time is closer to the previous time than to `time_ns`. Then, `time_ns` looks damaged.
    return other_ns >= earliest_ns && other_ns < last_ns + (time_ns - last_ns) / 2;
  };
  if (!next_ns || !second_ns) return next_ns && is_long_before(*next_ns);
  if (is_long_before(*next_ns) == is_long_before(*second_ns)) return is_long_before(*next_ns);
  const auto third_ns = next_time(following);
  return third_ns && is_long_before(*third_ns);
}

}  // namespace convert::uftrace
