#include "converters/uftrace/records/record_survey.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "converters/uftrace/recording/note_kinds.h"
#include "converters/uftrace/records/call_stack.h"
#include "converters/uftrace/records/record_cursor.h"
#include "converters/uftrace/records/record_notes.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;

constexpr std::string_view kNotRecords = "not records";
constexpr std::string_view kZeros = "zeros instead of records";
constexpr std::string_view kTruncated = "truncated";
constexpr std::string_view kImpossibleTime = "impossible time";

class Survey {
 public:
  Survey(const std::string& path, const ThreadFacts& facts, PayloadDecoder* payloads, Notes& notes)
      : path_(path), facts_(facts), payloads_(payloads), notes_(notes) {}

  RecordSurvey run() {
    try {
      const InputFile file(path_, true);
      RecordCursor cursor(file, facts_, open_, payloads_);
      std::vector<std::byte> block(kBlock);
      const auto plain = [this](const CallRecord& call) {
        if (call.time_ns < seen_ns_ || !open_.try_take(call)) return false;
        seen_ns_ = call.time_ns;
        ++(call.is_entry() ? found_.entries : found_.exits);
        found_.max_depth = std::max(found_.max_depth, open_.depth());
        return true;
      };
      while (!cursor.is_done()) {
        cursor.read(block);
        while (const auto item = cursor.next({}, plain)) take(*item, item->end == file.size());
        found_.records = cursor.records();
      }
    } catch (const InputError& unreadable) {
      notes_.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
    if (found_.first_ns) found_.last_ns = std::max(found_.last_ns, seen_ns_);
    return std::move(found_);
  }

 private:
  void take(const RecordItem& item, bool is_last) {
    note_item(item, is_last, path_, notes_);
    switch (item.what) {
      case RecordItem::What::Call:
        take_call(item);
        break;
      case RecordItem::What::Event:
        see(item.call.time_ns);
        count_event(item.call.address);
        break;
      case RecordItem::What::Loss:
        ++found_.losses;
        found_.lost += item.call.address;
        break;
      case RecordItem::What::BadTime:
        keep({.begin = item.begin, .end = item.begin + kRecordSize, .problem = kImpossibleTime});
        break;
      case RecordItem::What::NotRecords:
        keep({.begin = item.begin, .end = item.end, .problem = kNotRecords});
        break;
      case RecordItem::What::Zeros:
        keep({.begin = item.begin, .end = item.end, .problem = kZeros});
        break;
      case RecordItem::What::Truncated:
        keep({.begin = item.begin, .end = item.end, .problem = kTruncated});
        break;
    }
  }

  void take_call(const RecordItem& item) {
    const CallRecord& call = item.call;
    if (call.time_ns < item.before_ns) {
      ++found_.went_back;
      note_time_went_back(item, path_, notes_);
    }
    seen_ns_ = std::max(seen_ns_, call.time_ns);
    see(call.time_ns);
    const std::size_t depth = call.depth + 1;
    open_.take(call);
    found_.max_depth = std::max(found_.max_depth, depth);
    ++(call.is_entry() ? found_.entries : found_.exits);
    if (item.has_payload) ++(call.is_entry() ? found_.with_arguments : found_.with_return_value);
  }

  void see(std::uint64_t time_ns) {
    found_.first_ns = std::min(time_ns, found_.first_ns.value_or(time_ns));
    found_.last_ns = std::max(found_.last_ns, time_ns);
  }

  void count_event(std::uint64_t id) {
    ++found_.events;
    if (const auto known = found_.events_of.find(id); known != found_.events_of.end())
      ++known->second;
    else if (found_.events_of.size() < RecordSurvey::kKeptEventIds)
      found_.events_of.emplace(id, 1);
  }

  void keep(const DamagedRange& range) {
    ++found_.damaged_ranges;
    found_.damaged_bytes += range.end - range.begin;
    if (found_.damage.size() < RecordSurvey::kKeptDamage) found_.damage.push_back(range);
  }

  const std::string& path_;
  const ThreadFacts& facts_;
  PayloadDecoder* payloads_;
  Notes& notes_;
  RecordSurvey found_;
  CallStack open_;
  std::uint64_t seen_ns_ = 0;  // the latest time of an entry or exit
};

}  // namespace

RecordSurvey survey_records(const std::string& path, const ThreadFacts& facts, PayloadDecoder* payloads,
                            Notes& notes) {
  return Survey(path, facts, payloads, notes).run();
}

}  // namespace convert::uftrace
