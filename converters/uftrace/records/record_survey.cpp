#include "converters/uftrace/records/record_survey.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "converters/model/byte_cursor.h"
#include "converters/model/event.h"
#include "converters/uftrace/note_kinds.h"
#include "converters/uftrace/records/record_file.h"
#include "converters/uftrace/records/records.h"
#include "converters/uftrace/records/resync.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
// The longest payload and some records to recognise what follows.
constexpr std::size_t kLookahead = kMaxPayload + 8 * kRecordSize;
// More calls than the recorder can count (its limit has 16 bits) are damage.
constexpr std::size_t kMaxOpen = 65536;

constexpr std::string_view kNotRecords = "not records";
constexpr std::string_view kZeros = "zeros instead of records";
constexpr std::string_view kTruncated = "truncated";
constexpr std::string_view kImpossibleTime = "impossible time";

std::size_t padded(std::size_t bytes) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  return (bytes + kWord - 1) / kWord * kWord;
}

class RecordWalk {
 public:
  RecordWalk(const ThreadFile& file, const Task& task, const Info& info, Symbolizer& symbolizer, Notes& notes)
      : path_(file.path.string()),
        task_(task),
        order_(info.order),
        elapsed_ns_(elapsed_ns(info)),
        symbolizer_(symbolizer),
        notes_(notes) {}

  RecordSurvey run() {
    try {
      const RecordFile file(path_, true);
      std::vector<std::byte> block(kBlock);
      for (bool at_end = false; !at_end;) {
        const auto bytes = file.read(offset_, block);
        at_end = offset_ + bytes.size() == file.size();
        const std::uint64_t start = offset_;
        offset_ = start + walk(bytes, at_end);
      }
      end_damage(true);
    } catch (const InputError& unreadable) {
      notes_.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
    return std::move(found_);
  }

 private:
  // Takes whole records until the block is over; gives the bytes taken.
  std::size_t walk(std::span<const std::byte> bytes, bool at_end) {
    const std::uint64_t start = offset_;
    std::size_t at = 0;
    while (at < bytes.size()) {
      if (!damage_)
        at += order_ == std::endian::little ? count_plain<std::endian::little>(bytes.subspan(at))
                                            : count_plain<std::endian::big>(bytes.subspan(at));
      if (at == bytes.size() || (!at_end && bytes.size() - at < kLookahead)) break;
      offset_ = start + at;
      at += step(bytes.subspan(at), at_end);
    }
    return at;
  }

  // A run of records that need no care.
  template <std::endian Order>
  std::size_t count_plain(std::span<const std::byte> bytes) {
    std::size_t at = 0;
    for (; bytes.size() - at >= kRecordSize; at += kRecordSize) {
      const Record record = load_record<Order>(bytes.data() + at);
      if ((record.word & kPlainMask) != kPlainPattern || record.time_ns < seen_ns_ ||
          record.time_ns >= limit_ns_)
        break;
      seen_ns_ = record.time_ns;
      count_call(record);
    }
    found_.records += at / kRecordSize;
    if (at != 0) found_.last_ns = std::max(found_.last_ns, seen_ns_);
    return at;
  }

  std::size_t step(std::span<const std::byte> bytes, bool at_end) {
    if (bytes.size() < kRecordSize) {
      end_damage(false);
      add_damage(bytes.size(), kTruncated);
      note(kTruncatedTail,
           fmt::format("truncated: a record needs {} bytes, {} left", kRecordSize, bytes.size()),
           bytes.size());
      return bytes.size();
    }
    const Record record = load_record(bytes.data(), order_);
    if (!record.has_magic()) return skip_damage(bytes, at_end);
    end_damage(false);
    ++found_.records;
    return kRecordSize + take_record(record, bytes.subspan(kRecordSize), at_end);
  }

  // Takes a record with its magic right; gives the bytes taken behind it.
  std::size_t take_record(const Record& record, std::span<const std::byte> behind, bool at_end) {
    if (record.type() == RecordType::Lost) {
      ++found_.losses;
      found_.lost += record.address();
      note(kRecordsLost,
           fmt::format("the recorder lost {} {}", record.address(),
                       record.address() == 1 ? "record" : "records"),
           record.address());
      return 0;
    }
    if (is_time_damaged(record, {.last_ns = seen_ns_,
                                 .behind = behind,
                                 .order = order_,
                                 .is_code = is_code_,
                                 .elapsed_ns = elapsed_ns_})) {
      note(kBadTime, fmt::format("a record time of {} ns is impossible here", record.time_ns));
      add_damage(kRecordSize, kImpossibleTime);
      return record.has_payload() ? payload_size(behind, at_end) : 0;
    }
    found_.first_ns = std::min(record.time_ns, found_.first_ns.value_or(record.time_ns));
    found_.last_ns = std::max(found_.last_ns, record.time_ns);
    if (record.type() == RecordType::Event) return take_event(record, behind, at_end);

    if (!view_ || record.time_ns < view_->from_ns() || record.time_ns >= view_->until_ns())
      view_ = symbolizer_.view(task_, record.time_ns);
    if (record.time_ns < seen_ns_) {
      ++found_.went_back;
      note(kTimeWentBack,
           fmt::format("the record's time is {} ns before the last one", seen_ns_ - record.time_ns));
    }
    seen_ns_ = std::max(seen_ns_, record.time_ns);
    limit_ns_ = std::min({view_->until_ns(), kTimeLimitNs, seen_ns_ + kExaminedGapNs});
    count_call(record);
    if (!record.has_payload()) return 0;
    ++(record.type() == RecordType::Entry ? found_.with_arguments : found_.with_return_value);
    return payload_size(behind, at_end);
  }

  std::size_t take_event(const Record& record, std::span<const std::byte> behind, bool at_end) {
    ++found_.events;
    if (const auto known = found_.events_of.find(record.address()); known != found_.events_of.end())
      ++known->second;
    else if (found_.events_of.size() < RecordSurvey::kKeptEventIds)
      found_.events_of.emplace(record.address(), 1);
    if (!record.has_payload()) return 0;
    if (behind.size() < sizeof(std::uint64_t)) return payload_size(behind, at_end);
    ByteCursor in(behind, path_, order_, offset_ + kRecordSize);
    const std::size_t size = padded(sizeof(std::uint16_t) + in.read<std::uint16_t>("event length"));
    if (size > kMaxPayload) return payload_size(behind, at_end);
    if (size <= behind.size()) return size;
    note(kTruncatedTail, fmt::format("truncated: the event needs {} bytes, {} left", size, behind.size()),
         behind.size());
    offset_ += kRecordSize;
    add_damage(behind.size(), kTruncated);
    return behind.size();
  }

  void count_call(const Record& record) {
    const std::size_t depth = record.depth();
    if (record.type() == RecordType::Entry) {
      ++found_.entries;
      // Depths are stored modulo 1024.
      if (depth != open_.size() % kDepthModulus || open_.size() >= kMaxOpen) open_.resize(depth);
      open_.push_back(record.address());
      found_.max_depth = std::max(found_.max_depth, open_.size());
    } else {
      ++found_.exits;
      if (open_.empty() || depth != (open_.size() - 1) % kDepthModulus) {
        found_.max_depth = std::max(found_.max_depth, depth + 1);
        open_.resize(depth);
      } else {
        open_.pop_back();
      }
    }
  }

  std::size_t payload_size(std::span<const std::byte> behind, bool at_end) const {
    return find_behind_payload(behind, order_, at_end, expectation()).value_or(0);
  }

  std::size_t skip_damage(std::span<const std::byte> bytes, bool at_end) {
    if (const std::size_t zeros = count_zero_bytes(bytes); zeros != 0) {
      grow_damage(zeros, kZeros);
      return zeros;
    }
    const auto found = find_behind_damage(bytes, order_, expectation());
    // Without a find, all but the last bytes are surely damaged: a record may start in those.
    const std::size_t skipped = found ? *found
                                : at_end
                                    ? bytes.size()
                                    : bytes.size() - 2 * kRecordSize - bytes.size() % sizeof(std::uint64_t);
    grow_damage(skipped, kNotRecords);
    return skipped;
  }

  Expectation expectation() const {
    return {.time_ns = seen_ns_,
            .depth = open_.size(),
            .top_address = open_.empty() ? 0 : open_.back(),
            .is_code = is_code_};
  }

  // ---- Damage ----

  // The damage at hand goes on, or another one begins.
  void grow_damage(std::size_t bytes, std::string_view problem) {
    if (damage_ && damage_->problem != problem) end_damage(false);
    if (!damage_) damage_ = DamagedRange{.begin = offset_, .end = offset_, .problem = problem};
    damage_->end = offset_ + bytes;
  }

  void end_damage(bool at_end) {
    if (!damage_) return;
    const DamagedRange range = *std::exchange(damage_, std::nullopt);
    const bool is_zeros = range.problem == kZeros;
    const NoteKind& kind = !is_zeros ? kDamagedBytes : at_end ? kTruncatedTail : kZeroFilled;
    notes_.add(
        kind,
        [&] {
          const auto end = at_end ? std::string("the end of the file") : fmt::format("+{:#x}", range.end);
          return fmt::format("{}: {}{}", Place::byte(path_, range.begin).text(), range.problem,
                             is_zeros ? "" : ", up to " + end);
        },
        range.end - range.begin);
    keep(range);
  }

  void add_damage(std::size_t bytes, std::string_view problem) {
    keep({.begin = offset_, .end = offset_ + bytes, .problem = problem});
  }

  void keep(const DamagedRange& range) {
    ++found_.damaged_ranges;
    found_.damaged_bytes += range.end - range.begin;
    if (found_.damage.size() < RecordSurvey::kKeptDamage) found_.damage.push_back(range);
  }

  void note(const NoteKind& kind, std::string_view problem, std::uint64_t count = 1) const {
    notes_.add(
        kind, [&] { return fmt::format("{}: {}", Place::byte(path_, offset_).text(), problem); }, count);
  }

  std::string path_;
  const Task& task_;
  std::endian order_;
  std::optional<std::uint64_t> elapsed_ns_;
  Symbolizer& symbolizer_;
  Notes& notes_;

  RecordSurvey found_;
  std::uint64_t offset_ = 0;         // of the next record
  std::uint64_t seen_ns_ = 0;        // the latest time of an entry or exit
  std::uint64_t limit_ns_ = 0;       // records from this time on need a look
  std::vector<std::uint64_t> open_;  // addresses of the open calls; 0: unknown
  std::optional<SymbolView> view_;
  std::function<bool(std::uint64_t)> is_code_ = [this](std::uint64_t address) {
    return !view_ || view_->is_code(address);
  };
  std::optional<DamagedRange> damage_;  // at hand
};

}  // namespace

RecordSurvey survey_records(const ThreadFile& file, const Task& task, const Info& info,
                            Symbolizer& symbolizer, Notes& notes) {
  return RecordWalk(file, task, info, symbolizer, notes).run();
}

}  // namespace convert::uftrace
