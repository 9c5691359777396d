#include "converters/uftrace/perf/perf_cursor.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "converters/uftrace/recording/note_kinds.h"
#include "fxt/field.h"

namespace convert::uftrace {
namespace {

struct SwitchMisc {
  using Out = fxt::Field<13>;
  using Preempted = fxt::Field<14>;  // the thread is still runnable
};

struct CommMisc {
  using Exec = fxt::Field<13>;  // the name belongs to a new program
};

constexpr std::size_t kHeaderSize = 8;
// Every record ends with a sample_id: u32 pid, u32 tid, u64 time.
constexpr std::size_t kSampleIdSize = 16;
constexpr std::size_t kPerfWord = 8;  // all sizes of records are multiples of this number

// The content between the header and the sample_id. Switch: nothing. Fork and Exit: u32 pid, ppid, tid, ptid,
// u64 time. Comm: u32 pid, tid, and the name. Lost: u64 id, lost.
constexpr std::size_t kSwitchTid = kHeaderSize + 4;  // in the sample_id
constexpr std::size_t kTaskTid = kHeaderSize + 8, kTaskParent = kHeaderSize + 12,
                      kTaskTime = kHeaderSize + 16;
constexpr std::size_t kCommTid = kHeaderSize + 4, kCommName = kHeaderSize + 8;
constexpr std::size_t kMaxComm = 64;  // names in the kernel have 16 bytes
constexpr std::size_t kLostCount = kHeaderSize + 8;

enum class Type : std::uint32_t { Lost = 2, Comm = 3, Exit = 4, Fork = 7, Switch = 14 };

// A type of records that become events, with the possible sizes of a record.
struct EventType {
  Type type;
  std::size_t min_size, max_size;
};
constexpr std::array kEventTypes{
    EventType{Type::Switch, kHeaderSize + kSampleIdSize, kHeaderSize + kSampleIdSize},
    EventType{Type::Fork, kHeaderSize + 24 + kSampleIdSize, kHeaderSize + 24 + kSampleIdSize},
    EventType{Type::Exit, kHeaderSize + 24 + kSampleIdSize, kHeaderSize + 24 + kSampleIdSize},
    EventType{Type::Comm, kCommName + kSampleIdSize, kCommName + kMaxComm + kSampleIdSize},
    EventType{Type::Lost, kHeaderSize + 16 + kSampleIdSize, kHeaderSize + 16 + kSampleIdSize},
};

const EventType* find_event_type(std::uint32_t type) {
  const auto* const found = std::ranges::find(kEventTypes, static_cast<Type>(type), &EventType::type);
  return found == kEventTypes.end() ? nullptr : found;
}

// The kernel has about 20 record types, and perf's own types begin at 64.
constexpr std::uint32_t kTypeLimit = 128;

// The clock of perf may go back by this time (see ktime_get_mono_fast_ns). A record with a larger step back
// is dropped. A larger step forward must be confirmed by the next record of a known type.
constexpr std::uint64_t kPerfSlackNs = 1'000'000;
// At most this many records are searched for the next record of a known type. If none of them has a known
// type, the step forward is accepted.
constexpr int kMaxWitnesses = 8;
// A smaller step forward is plausible even if nothing readable follows the record.
constexpr std::uint64_t kLikelyPauseNs = 1'000'000'000;

// Records of forks and exits have two times: the time of the event, which uftrace shows, and the time of
// writing. Returns the time of the event. If it is not close to the time of writing, returns the time of
// writing.
std::uint64_t own_time(std::uint64_t time_ns, std::uint64_t written_ns) {
  const bool is_near = time_ns + kPerfSlackNs >= written_ns && time_ns <= written_ns + kPerfSlackNs;
  return is_near ? time_ns : written_ns;
}

}  // namespace

bool PerfCursor::next() {
  return read_or_end([this] {
    Step step = Step::Skipped;
    while (step == Step::Skipped) step = read_record();
    if (step == Step::Event && reused_ != nullptr) {
      event_.tid = reused_->at(event_.tid, event_.time_ns);
      event_.parent = reused_->at(event_.parent, event_.time_ns);
    }
    return step == Step::Event;
  });
}

PerfCursor::Step PerfCursor::read_record() {
  const std::size_t left = file_.at_least(kHeaderSize).size();
  if (left == 0) return Step::End;
  if (left < kHeaderSize) return end_truncated(kHeaderSize);
  const auto header = plausible_header();
  const EventType* const type = header ? find_event_type(header->type) : nullptr;
  const bool is_whole = header && file_.at_least(header->size).size() >= header->size;
  if (type != nullptr && !is_whole) return end_truncated(header->size);
  const bool has_fixed_size = type != nullptr && type->min_size == type->max_size;
  if (!is_whole || (!has_fixed_size && !is_followed(*header))) {
    skip_damage();
    return Step::Skipped;
  }
  const bool is_good = type != nullptr && has_plausible_time(*header);
  if (is_good) decode(*header, file_.at_least(header->size).first(header->size));
  file_.consume(header->size);
  return is_good ? Step::Event : Step::Skipped;
}

PerfCursor::Step PerfCursor::end_truncated(std::size_t record_size) {
  const std::size_t left = file_.at_least(record_size).size();
  note(kTruncatedTail, left, [&] {
    return fmt::format("{}: truncated: a perf event needs {} bytes, but {} are left",
                       Location::byte(file_.path(), file_.offset()).text(), record_size, left);
  });
  file_.consume(left);
  return Step::End;
}

void PerfCursor::decode(const Header& header, std::span<const std::byte> record) {
  using Kind = PerfEvent::Kind;
  const std::byte* const at = record.data();
  event_ = {.kind = Kind::Lost};
  event_.time_ns = event_.order_ns = last_ns_ = std::max(time_of(header, record), last_ns_);
  switch (static_cast<Type>(header.type)) {
    case Type::Switch:
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kSwitchTid));
      event_.kind = SwitchMisc::Out::get(header.misc) == 0         ? Kind::SwitchIn
                    : SwitchMisc::Preempted::get(header.misc) == 0 ? Kind::SwitchOut
                                                                   : Kind::Preempted;
      return;
    case Type::Fork:
    case Type::Exit:
      event_.kind = static_cast<Type>(header.type) == Type::Fork ? Kind::Fork : Kind::Exit;
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kTaskTid));
      event_.parent = static_cast<ThreadId>(load<std::uint32_t>(at + kTaskParent));
      event_.time_ns = own_time(load<std::uint64_t>(at + kTaskTime), last_ns_);
      return;
    case Type::Comm: {
      event_.kind = CommMisc::Exec::get(header.misc) == 0 ? Kind::Comm : Kind::Exec;
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kCommTid));
      const std::string_view padded(reinterpret_cast<const char*>(at + kCommName),
                                    record.size() - kCommName - kSampleIdSize);
      event_.comm = padded.substr(0, padded.find('\0'));
      return;
    }
    case Type::Lost:
      event_.lost = load<std::uint64_t>(at + kLostCount);
      return;
  }
}

// ---- Plausible records ----

PerfCursor::Header PerfCursor::header_at(const std::byte* at) const {
  return {.type = load<std::uint32_t>(at),
          .misc = load<std::uint16_t>(at + 4),
          .size = load<std::uint16_t>(at + 6)};
}

// Returns the next header. Nothing if no record can have this header.
std::optional<PerfCursor::Header> PerfCursor::plausible_header() {
  const auto bytes = file_.at_least(kHeaderSize);
  if (bytes.size() < kHeaderSize) return std::nullopt;
  const Header header = header_at(bytes.data());
  if (!is_plausible(header)) return std::nullopt;
  return header;
}

// A type that does not become an event may have any size that is a multiple of 8.
bool PerfCursor::is_plausible(const Header& header) {
  if (header.size % kPerfWord != 0) return false;
  if (const EventType* const known = find_event_type(header.type))
    return header.size >= known->min_size && header.size <= known->max_size;
  return header.type != 0 && header.type < kTypeLimit && header.size >= kHeaderSize;
}

std::uint64_t PerfCursor::time_of(const Header& header, std::span<const std::byte> record) const {
  return load<std::uint64_t>(record.data() + header.size - sizeof(std::uint64_t));
}

// Returns false and adds a note if the time is implausible.
bool PerfCursor::has_plausible_time(const Header& header) {
  const std::uint64_t time_ns = time_of(header, file_.at_least(header.size));
  bool is_plausible = time_ns < kTimeLimitNs && time_ns + kPerfSlackNs >= last_ns_;
  if (is_plausible && time_ns > last_ns_ + kPerfSlackNs) is_plausible = is_confirmed(time_ns, header);
  if (!is_plausible)
    note(kBadTime, 1, [&] {
      return fmt::format("{}: the perf event's time of {} ns is impossible here",
                         Location::byte(file_.path(), file_.offset()).text(), time_ns);
    });
  return is_plausible;
}

// Confirms a large step forward to `time_ns`. Returns false if the next record of a known type is earlier
// than `time_ns`, but not earlier than last_ns_. Also returns false if the step is long and damage follows.
bool PerfCursor::is_confirmed(std::uint64_t time_ns, const Header& header) {
  const bool is_likely = time_ns - last_ns_ < kLikelyPauseNs;
  std::size_t at = header.size;
  for (int tries = 0; tries < kMaxWitnesses; ++tries) {
    auto bytes = file_.at_least(at + kHeaderSize);
    if (bytes.size() == at) return true;  // the end of the file
    if (bytes.size() < at + kHeaderSize) return is_likely;
    const Header behind = header_at(bytes.data() + at);
    bytes = file_.at_least(at + behind.size);
    if (!is_plausible(behind) || bytes.size() < at + behind.size) return is_likely;
    if (find_event_type(behind.type) != nullptr) {
      const std::uint64_t behind_ns = time_of(behind, bytes.subspan(at));
      return behind_ns < last_ns_ || behind_ns + kPerfSlackNs >= time_ns;
    }
    at += behind.size;
  }
  return true;
}

// True if the record with this header is followed by a plausible record, or by the end of the file.
bool PerfCursor::is_followed(const Header& header) {
  const auto bytes = file_.at_least(header.size + kHeaderSize);
  if (bytes.size() < header.size + kHeaderSize) return bytes.size() == header.size;
  return is_plausible(header_at(bytes.data() + header.size));
}

// ---- Damage ----

void PerfCursor::skip_damage() {
  const std::uint64_t from = file_.offset();
  bool is_all_zero = true;
  do {
    const auto word = file_.at_least(kPerfWord);
    const auto damaged = word.first(std::min(word.size(), kPerfWord));
    is_all_zero &= is_zero(damaged);
    file_.consume(damaged.size());
  } while (!file_.at_least(kPerfWord).empty() && !resumes_here());
  note(is_all_zero ? kZeroFilled : kDamagedBytes, file_.offset() - from, [&] {
    return fmt::format("{}: not perf events, up to +{:#x}", Location::byte(file_.path(), from).text(),
                       file_.offset());
  });
}

// True if reading may resume here after damage. There must be a record with a known type and a time that does
// not go back. After it, there must be another record or the end of the file.
bool PerfCursor::resumes_here() {
  const auto header = plausible_header();
  if (!header || find_event_type(header->type) == nullptr) return false;
  const auto bytes = file_.at_least(header->size);
  if (bytes.size() < header->size) return false;
  const std::uint64_t time_ns = time_of(*header, bytes);
  return time_ns >= last_ns_ && time_ns < kTimeLimitNs && is_followed(*header);
}

}  // namespace convert::uftrace
