#include "converters/uftrace/records/resync.h"

#include <algorithm>

#include "converters/model/event.h"

namespace convert::uftrace {
namespace {

// Event ids that uftrace gives (section 10).
bool is_event_id(std::uint64_t id) {
  return (id >= 100'001 && id <= 100'100) || (id >= 200'001 && id <= 200'100) ||
         (id >= 1'000'000 && id <= 2'000'000);
}

bool is_lost_record(const Record& record) {
  return record.type() == RecordType::Lost && record.time_ns == 0 && record.depth() == 0 &&
         !record.has_payload() && record.address() != 0;
}

bool is_likely_time(std::uint64_t time_ns, const Expectation& expected) {
  if (time_ns == 0 || time_ns >= kTimeLimitNs) return false;
  return expected.time_ns == 0 || (time_ns >= expected.time_ns && time_ns - expected.time_ns < kLikelyGapNs);
}

// The record that follows directly, when nothing is missing: its depth has to fit the open calls.
bool continues(const Record& record, const Expectation& expected) {
  if (!record.has_magic()) return false;
  if (is_lost_record(record)) return true;
  if (!is_likely_time(record.time_ns, expected)) return false;
  switch (record.type()) {
    case RecordType::Entry:
      return record.depth() == expected.depth % kDepthModulus && expected.is_code(record.address());
    case RecordType::Exit:
      return expected.depth > 0 && record.depth() == (expected.depth - 1) % kDepthModulus &&
             (expected.top_address == 0 || record.address() == expected.top_address);
    case RecordType::Event:
      return record.depth() == 0 && is_event_id(record.address());
    case RecordType::Lost:
      return false;
  }
  return false;
}

// Any record that makes sense by itself.
bool is_likely(const Record& record, const Expectation& expected) {
  if (!record.has_magic()) return false;
  if (is_lost_record(record)) return true;
  if (!is_likely_time(record.time_ns, expected)) return false;
  if (record.type() == RecordType::Event) return record.depth() == 0 && is_event_id(record.address());
  return record.type() != RecordType::Lost && expected.is_code(record.address());
}

// Is there a second record behind this one? True if that can't be told.
bool is_followed(std::span<const std::byte> bytes, std::size_t at, std::endian order, const Record& record,
                 const Expectation& expected) {
  if (record.has_payload() || bytes.size() - at < 2 * kRecordSize) return true;
  const Record next = load_record(bytes.data() + at + kRecordSize, order);
  Expectation after = expected;
  if (record.type() != RecordType::Lost) after.time_ns = record.time_ns;
  return is_likely(next, after);
}

template <typename Accept>
std::optional<std::size_t> scan(std::span<const std::byte> bytes, std::endian order, std::size_t from,
                                std::size_t to, const Expectation& expected, Accept accept) {
  for (std::size_t at = from; at <= to && bytes.size() - at >= kRecordSize; at += sizeof(std::uint64_t)) {
    const Record record = load_record(bytes.data() + at, order);
    if (accept(record, expected) && is_followed(bytes, at, order, record, expected)) return at;
  }
  return std::nullopt;
}

// The time of the next likely record that has one; takes it off `bytes`, with what is before it.
std::optional<std::uint64_t> take_time(std::span<const std::byte>& bytes, std::endian order,
                                       const Expectation& expected) {
  while (const auto found = scan(bytes, order, 0, kMaxPayload, expected, is_likely)) {
    const Record record = load_record(bytes.data() + *found, order);
    bytes = bytes.subspan(*found + kRecordSize);
    if (record.type() != RecordType::Lost) return record.time_ns;
  }
  return std::nullopt;
}

}  // namespace

bool leaps_too_far(std::uint64_t from_ns, std::uint64_t to_ns, std::optional<std::uint64_t> elapsed_ns) {
  constexpr std::uint64_t kFarNs = std::uint64_t{1} << 47;  // 39 hours
  return elapsed_ns && to_ns > from_ns && to_ns - from_ns >= kFarNs && (to_ns - from_ns) / 2 > *elapsed_ns;
}

bool is_time_damaged(const Record& record, const TimeWitnesses& witnesses) {
  const std::uint64_t time_ns = record.time_ns, last_ns = witnesses.last_ns;
  if (time_ns >= kTimeLimitNs) return true;
  if (time_ns < last_ns || time_ns - last_ns < kExaminedGapNs) return false;

  // Two witnesses: the next record's time may be the damaged one.
  const Expectation any{.time_ns = 0, .depth = 0, .top_address = 0, .is_code = witnesses.is_code};
  auto behind = witnesses.behind;
  const auto next_ns = take_time(behind, witnesses.order, any);
  const auto second_ns = next_ns ? take_time(behind, witnesses.order, any) : std::nullopt;

  const auto leaps = [&](std::uint64_t from_ns, std::uint64_t to_ns) {
    return leaps_too_far(from_ns, to_ns, witnesses.elapsed_ns);
  };
  const auto follows = [&](std::optional<std::uint64_t> other_ns) {
    return other_ns && *other_ns >= time_ns && *other_ns - time_ns < kExaminedGapNs;
  };
  const std::uint64_t from_ns = last_ns != 0 ? last_ns : witnesses.begun_ns;
  if (from_ns != 0 && leaps(from_ns, time_ns) && !(follows(next_ns) && follows(second_ns))) return true;
  if (last_ns == 0 && next_ns && second_ns && leaps(time_ns, *next_ns) && leaps(time_ns, *second_ns))
    return true;

  const auto is_long_before = [&](std::uint64_t other_ns) {
    if (last_ns == 0) return other_ns < time_ns && time_ns - other_ns >= kExaminedGapNs;
    return other_ns >= last_ns && other_ns - last_ns < (time_ns - last_ns) / 2;  // nearer to the last one
  };
  return next_ns && is_long_before(*next_ns) && (!second_ns || is_long_before(*second_ns));
}

std::optional<std::size_t> find_behind_payload(std::span<const std::byte> bytes, std::endian order,
                                               bool at_end, const Expectation& expected) {
  const std::size_t reach = std::min(bytes.size(), kMaxPayload);
  if (const auto found = scan(bytes, order, 0, reach, expected, continues)) return found;
  if (const auto found = scan(bytes, order, 0, reach, expected, is_likely)) return found;
  // The last payload of the file has nothing behind it.
  if (at_end && bytes.size() <= kMaxPayload && bytes.size() % sizeof(std::uint64_t) == 0) return bytes.size();
  return std::nullopt;
}

std::optional<std::size_t> find_behind_damage(std::span<const std::byte> bytes, std::endian order,
                                              const Expectation& expected) {
  return scan(bytes, order, sizeof(std::uint64_t), bytes.size(), expected, is_likely);
}

std::size_t count_zero_bytes(std::span<const std::byte> bytes) {
  const auto first = std::ranges::find_if(bytes, [](std::byte b) { return b != std::byte{0}; });
  const auto count = static_cast<std::size_t>(first - bytes.begin());
  return count - count % sizeof(std::uint64_t);
}

}  // namespace convert::uftrace
