#include "converters/uftrace/record_survey.h"

#include <algorithm>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/records/open_calls.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/record_notes.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;

class Survey {
 public:
  Survey(const fxt::FilePlace& place, const ThreadFacts& facts, PayloadDecoder& payload_decoder, Notes& notes)
      : place_(place),
        facts_(facts),
        payload_decoder_(payload_decoder),
        notes_(notes, place.text(), facts.is_growing) {}

  RecordSurvey run() {
    try {
      const InputFile file(place_);
      RecordCursor cursor(file, facts_, open_, &payload_decoder_);
      std::vector<std::byte> block(kBlock);
      const auto plain = [this](const auto& records, std::uint64_t) {
        return records.count_while([this](const CallRecord& call) { return try_plain(call); });
      };
      while (!cursor.is_done()) {
        cursor.read(block);
        while (const auto item = cursor.next({}, plain)) count(*item, item->end == cursor.end());
        survey_.records = cursor.records();
      }
    } catch (const InputError& unreadable) {
      notes_.all().add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
    if (survey_.first_ns) survey_.last_ns = std::max(survey_.last_ns, seen_ns_);
    return std::move(survey_);
  }

 private:
  void count(const RecordItem& item, bool is_last) {
    notes_.add_item(item, is_last);
    switch (item.what) {
      case RecordItem::What::Call:
        count_call(item);
        break;
      case RecordItem::What::Event:
        add_time(item.call.time_ns);
        count_event(item.call.address);
        break;
      case RecordItem::What::Loss:
        ++survey_.losses;
        survey_.lost += item.call.address;
        break;
      case RecordItem::What::BadTime:
        add_damage({item.begin, item.begin + kRecordSize, "impossible time"});
        break;
      case RecordItem::What::NotRecords:
        add_damage({item.begin, item.end, "not records"});
        break;
      case RecordItem::What::Zeros:
        add_damage({item.begin, item.end, "zeros instead of records"});
        break;
      case RecordItem::What::Truncated:
        add_damage({item.begin, item.end, "truncated"});
        break;
    }
  }

  bool try_plain(const CallRecord& call) {
    if (call.time_ns < seen_ns_ || !open_.try_follow(call)) return false;
    seen_ns_ = call.time_ns;
    ++(call.is_entry() ? survey_.entries : survey_.exits);
    survey_.max_depth = std::max(survey_.max_depth, open_.depth());
    return true;
  }

  void count_call(const RecordItem& item) {
    const CallRecord& call = item.call;
    if (call.time_ns < item.before_ns) {
      ++survey_.reversed;
      notes_.add_time_reversed(item);
    }
    seen_ns_ = std::max(seen_ns_, call.time_ns);
    add_time(call.time_ns);
    const std::size_t depth = call.depth + 1;
    open_.follow(call);
    survey_.max_depth = std::max(survey_.max_depth, depth);
    ++(call.is_entry() ? survey_.entries : survey_.exits);
    if (item.has_payload) ++(call.is_entry() ? survey_.with_arguments : survey_.with_return_value);
  }

  void add_time(std::uint64_t time_ns) {
    survey_.first_ns = std::min(time_ns, survey_.first_ns.value_or(time_ns));
    survey_.last_ns = std::max(survey_.last_ns, time_ns);
  }

  void count_event(std::uint64_t id) {
    ++survey_.events;
    if (const auto known = survey_.events_by_id.find(id); known != survey_.events_by_id.end())
      ++known->second;
    else if (survey_.events_by_id.size() < RecordSurvey::kMaxEventIds)
      survey_.events_by_id.emplace(id, 1);
  }

  void add_damage(const DamagedRange& range) {
    ++survey_.damaged_ranges;
    survey_.damaged_bytes += range.end - range.begin;
    if (survey_.damage.size() < RecordSurvey::kMaxDamage) survey_.damage.push_back(range);
  }

  const fxt::FilePlace& place_;
  const ThreadFacts& facts_;
  PayloadDecoder& payload_decoder_;
  RecordNotes notes_;
  RecordSurvey survey_;
  ScannedCalls<> open_;
  std::uint64_t seen_ns_ = 0;  // the latest time of an entry or exit
};

}  // namespace

void RecordSurvey::add(const RecordSurvey& other) {
  records += other.records;
  entries += other.entries;
  exits += other.exits;
  with_arguments += other.with_arguments;
  with_return_value += other.with_return_value;
  losses += other.losses;
  lost += other.lost;
  events += other.events;
  for (const auto& [id, count] : other.events_by_id)
    if (const auto known = events_by_id.find(id); known != events_by_id.end())
      known->second += count;
    else if (events_by_id.size() < kMaxEventIds)
      events_by_id.emplace(id, count);
  if (!other.first_ns) return;
  first_ns = std::min(*other.first_ns, first_ns.value_or(*other.first_ns));
  last_ns = std::max(last_ns, other.last_ns);
}

RecordSurvey survey_records(const fxt::FilePlace& place, const ThreadFacts& facts,
                            PayloadDecoder& payload_decoder, Notes& notes) {
  return Survey(place, facts, payload_decoder, notes).run();
}

}  // namespace convert::uftrace
