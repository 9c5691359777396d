#include "converters/uftrace/perf/perf_cursor.h"

#include <algorithm>
#include <fmt/format.h>

#include "converters/model/reading/load.h"
#include "converters/uftrace/recording/note_kinds.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kHeaderSize = 8;
// Every record ends with a sample_id: u32 pid, u32 tid, u64 time.
constexpr std::size_t kSampleIdSize = 16;
constexpr std::size_t kWord = 8;  // all sizes are multiples of it

// Behind the header: Switch nothing; Fork and Exit u32 pid, ppid, tid, ptid, u64 time; Comm u32 pid, tid, the
// name; Lost u64 id, lost.
constexpr std::size_t kSwitchSize = kHeaderSize + kSampleIdSize;
constexpr std::size_t kTaskSize = kHeaderSize + 24 + kSampleIdSize;
constexpr std::size_t kLostSize = kHeaderSize + 16 + kSampleIdSize;
constexpr std::size_t kCommTid = kHeaderSize + 4, kCommName = kHeaderSize + 8;
constexpr std::size_t kTaskTid = kHeaderSize + 8, kTaskParent = kHeaderSize + 12,
                      kTaskTime = kHeaderSize + 16;
constexpr std::size_t kLostCount = kHeaderSize + 8;
constexpr std::size_t kMaxComm = 64;                 // the kernel's are 16 bytes
constexpr std::size_t kSwitchTid = kHeaderSize + 4;  // in the sample_id

// The kernel has about 20 types of records, perf itself some from 64 on.
constexpr std::uint32_t kTypeLimit = 128;

// The clock of perf may go back by a little (ktime_get_mono_fast_ns says how). A step of more, in either
// direction, is examined.
constexpr std::uint64_t kClockSlackNs = 1'000'000;
// A record is believed to be far ahead if the next one agrees; unknown ones have no say.
constexpr int kMaxWitnesses = 8;
// So much later than the one before it, a record is believed where none that could contradict follows.
constexpr std::uint64_t kLikelyPauseNs = 1'000'000'000;

bool has_fixed_size(PerfType type) {
  return type == PerfType::Switch || type == PerfType::Fork || type == PerfType::Exit ||
         type == PerfType::Lost;
}

// A time that a record has besides that of its writing; uftrace shows it.
std::uint64_t near(std::uint64_t time_ns, std::uint64_t written_ns) {
  const bool is_near = time_ns + kClockSlackNs >= written_ns && time_ns <= written_ns + kClockSlackNs;
  return is_near ? time_ns : written_ns;
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

}  // namespace

PerfCursor::PerfCursor(const CpuFile& file, const PerfReading& reading)
    : cpu_(file.cpu),
      file_(file.path.string(), FileWindow::EarlyEnd::Error, reading.keep_open, reading.block_bytes),
      reading_(reading) {}

template <typename T>
T PerfCursor::load(const std::byte* at) const {
  return convert::load<T>(at, reading_.order);
}

template <typename Describe>
void PerfCursor::note(const NoteKind& kind, std::uint64_t count, Describe&& describe) {
  if (reading_.notes != nullptr) reading_.notes->add(kind, std::forward<Describe>(describe), count);
}

PerfCursor::Header PerfCursor::header_at(const std::byte* at) const {
  return {.type = static_cast<PerfType>(load<std::uint32_t>(at)),
          .misc = load<std::uint16_t>(at + 4),
          .size = load<std::uint16_t>(at + 6)};
}

// Each type has its size; what else may be there is known by its size only.
bool PerfCursor::is_plausible(const Header& header) {
  if (header.size % kWord != 0) return false;
  switch (header.type) {
    case PerfType::Switch:
      return header.size == kSwitchSize;
    case PerfType::Fork:
    case PerfType::Exit:
      return header.size == kTaskSize;
    case PerfType::Lost:
      return header.size == kLostSize;
    case PerfType::Comm:
      return header.size >= kCommName + kSampleIdSize && header.size <= kCommName + kMaxComm + kSampleIdSize;
  }
  const auto type = static_cast<std::uint32_t>(header.type);
  return type != 0 && type < kTypeLimit && header.size >= kHeaderSize;
}

bool PerfCursor::is_of_use(const Header& header) {
  switch (header.type) {
    case PerfType::Switch:
    case PerfType::Fork:
    case PerfType::Exit:
    case PerfType::Comm:
    case PerfType::Lost:
      return true;
  }
  return false;
}

bool PerfCursor::next() {
  try {
    Taken taken = Taken::Nothing;
    while (taken == Taken::Nothing) taken = take_record();
    return taken == Taken::Event;
  } catch (const InputError& unreadable) {
    note(kUnreadableFile, 1, [&] { return std::string(unreadable.what()); });
    file_.skip_to_end();
    return false;
  }
}

PerfCursor::Taken PerfCursor::take_record() {
  const std::size_t left = file_.at_least(kHeaderSize).size();
  if (left == 0) return Taken::End;
  if (left < kHeaderSize) return take_truncated(kHeaderSize);
  const auto header = header_here();
  const bool is_whole = header && file_.at_least(header->size).size() >= header->size;
  if (header && !is_whole && is_of_use(*header)) return take_truncated(header->size);
  if (!is_whole || (!has_fixed_size(header->type) && !something_is_behind(*header))) {
    skip_damage();
    return Taken::Nothing;
  }
  const bool is_event = is_of_use(*header) && has_good_time(*header);
  if (is_event) decode(*header, file_.at_least(header->size).first(header->size));
  file_.consume(header->size);
  return is_event ? Taken::Event : Taken::Nothing;
}

PerfCursor::Taken PerfCursor::take_truncated(std::size_t size) {
  const std::size_t left = file_.at_least(size).size();
  note(kTruncatedTail, left, [&] {
    return fmt::format("{}: truncated: a perf event needs {} bytes, {} left",
                       Location::byte(file_.path(), file_.offset()).text(), size, left);
  });
  file_.consume(left);
  return Taken::End;
}

// Nothing if what stands here can't be one.
std::optional<PerfCursor::Header> PerfCursor::header_here() {
  const auto bytes = file_.at_least(kHeaderSize);
  if (bytes.size() < kHeaderSize) return std::nullopt;
  const Header header = header_at(bytes.data());
  if (!is_plausible(header)) return std::nullopt;
  return header;
}

std::uint64_t PerfCursor::time_of(const Header& header, std::span<const std::byte> record) const {
  return load<std::uint64_t>(record.data() + header.size - sizeof(std::uint64_t));
}

// Whether the time of the record here may be right; else notes it.
bool PerfCursor::has_good_time(const Header& header) {
  const std::uint64_t time_ns = time_of(header, file_.at_least(header.size));
  bool is_good = time_ns < kTimeLimitNs && time_ns + kClockSlackNs >= last_ns_;
  if (is_good && time_ns > last_ns_ + kClockSlackNs) is_good = is_confirmed(time_ns, header);
  if (!is_good)
    note(kBadTime, 1, [&] {
      return fmt::format("{}: a perf event's time of {} ns is impossible here",
                         Location::byte(file_.path(), file_.offset()).text(), time_ns);
    });
  return is_good;
}

// Whether the next record with a time, if there is one, can come after this time.
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
    if (is_of_use(behind)) {
      const std::uint64_t behind_ns = time_of(behind, bytes.subspan(at));
      return behind_ns < last_ns_ || behind_ns + kClockSlackNs >= time_ns;
    }
    at += behind.size;
  }
  return true;
}

void PerfCursor::decode(const Header& header, std::span<const std::byte> record) {
  using Kind = PerfEvent::Kind;
  const std::byte* const at = record.data();
  event_ = {.kind = Kind::Lost};
  event_.time_ns = event_.order_ns = last_ns_ = std::max(time_of(header, record), last_ns_);
  switch (header.type) {
    case PerfType::Switch:
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kSwitchTid));
      event_.kind = SwitchMisc::Out::get(header.misc) == 0         ? Kind::SwitchIn
                    : SwitchMisc::Preempted::get(header.misc) == 0 ? Kind::SwitchOut
                                                                   : Kind::Preempted;
      return;
    case PerfType::Fork:
    case PerfType::Exit:
      event_.kind = header.type == PerfType::Fork ? Kind::Fork : Kind::Exit;
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kTaskTid));
      event_.parent = static_cast<ThreadId>(load<std::uint32_t>(at + kTaskParent));
      event_.time_ns = near(load<std::uint64_t>(at + kTaskTime), last_ns_);
      return;
    case PerfType::Comm: {
      event_.kind = CommMisc::Exec::get(header.misc) == 0 ? Kind::Comm : Kind::Exec;
      event_.tid = static_cast<ThreadId>(load<std::uint32_t>(at + kCommTid));
      const std::string_view padded(reinterpret_cast<const char*>(at + kCommName),
                                    record.size() - kCommName - kSampleIdSize);
      event_.comm = padded.substr(0, padded.find('\0'));
      return;
    }
    case PerfType::Lost:
      event_.lost = load<std::uint64_t>(at + kLostCount);
      return;
  }
}

// ---- Damage ----

void PerfCursor::skip_damage() {
  const std::uint64_t from = file_.offset();
  bool is_all_zero = true;
  do {
    const auto word = file_.at_least(kWord);
    const auto damaged = word.first(std::min(word.size(), kWord));
    is_all_zero &= is_zero(damaged);
    file_.consume(damaged.size());
  } while (!file_.at_least(kWord).empty() && !goes_on_here());
  note(is_all_zero ? kZeroFilled : kDamagedBytes, file_.offset() - from, [&] {
    return fmt::format("{}: not perf events, up to +{:#x}", Location::byte(file_.path(), from).text(),
                       file_.offset());
  });
}

// Whether another record, or the end of the file, is behind the one here.
bool PerfCursor::something_is_behind(const Header& header) {
  const auto bytes = file_.at_least(header.size + kHeaderSize);
  if (bytes.size() < header.size + kHeaderSize) return bytes.size() == header.size;
  return is_plausible(header_at(bytes.data() + header.size));
}

// Behind damage, a record is one that we know, at a time that may be, and with another one behind it.
bool PerfCursor::goes_on_here() {
  const auto header = header_here();
  if (!header || !is_of_use(*header)) return false;
  const auto bytes = file_.at_least(header->size);
  if (bytes.size() < header->size) return false;
  const std::uint64_t time_ns = time_of(*header, bytes);
  return time_ns >= last_ns_ && time_ns < kTimeLimitNs && something_is_behind(*header);
}

}  // namespace convert::uftrace
