// Counts the records, and sums up the calls for each line of the report.
#include "fxt/tools/statistics.h"

#include <algorithm>
#include <utility>

#include "fxt/records.h"

namespace fxt::tools {
namespace {

// The category that fxt-convert uses for calls of the kernel.
constexpr std::string_view kKernel = "[kernel]";

CallGroup group_of(const CallName& name) {
  return name.category == kKernel ? CallGroup::Kernel
         : is_off_cpu(name)       ? CallGroup::OffCpu
                                  : CallGroup::Program;
}

template <typename T>
T& element(std::vector<T>& list, std::size_t index) {
  if (index >= list.size()) list.resize(std::max(index + 1, 2 * list.size()));
  return list[index];
}

}  // namespace

OpenNames::Slot& OpenNames::slot(std::uint64_t key) {
  constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15;
  for (std::size_t at = (key * kGolden) >> 20;; ++at) {
    Slot& slot = slots_[at & (slots_.size() - 1)];
    if (slot.key == key) return slot;
    if (slot.key != ~std::uint64_t{0}) continue;
    if (2 * used_ >= slots_.size()) {
      grow();
      return this->slot(key);
    }
    ++used_;
    slot.key = key;
    return slot;
  }
}

// Removes keys without open calls, and adapts the size of the table to the keys that remain.
void OpenNames::grow() {
  const auto open = static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.count != 0; }));
  std::size_t size = 1024;
  while (size < 4 * open) size *= 2;
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(size));
  used_ = 0;
  for (const Slot& slot : old)
    if (slot.count != 0) this->slot(slot.key).count = slot.count;
}

void RecordCounts::add(const Entry& entry, const Reader& reader) {
  const auto* const event = std::get_if<Event>(&entry.record);
  Totals& totals =
      event != nullptr ? event_types.at(code(event->type)) : record_types.at(entry.record.index());
  ++totals.count;
  totals.bytes += entry.words.size_bytes();
  problems += entry.problems.size();
  if (event == nullptr) {
    if (const auto ticks = fxt::time_of(entry.record)) add_time(*ticks, reader);
    return;
  }
  add_time(event->time, reader);
  if (event->type == EventType::DurationComplete) add_time(event->end, reader);
  ++(event->thread.storage == Storage::Inline ? inline_threads : table_threads);
  for (const String* string : {&event->category, &event->name})
    ++(string->storage == Storage::Inline ? inline_strings : table_strings);
}

void RecordCounts::add_time(std::uint64_t ticks, const Reader& reader) {
  const auto ns = reader.to_ns(ticks);
  if (!ns) return;
  if (!first_ns || *ns < *first_ns) first_ns = ns;
  if (!last_ns || *ns > *last_ns) last_ns = ns;
}

std::map<std::string_view, RecordCounts::Totals> RecordCounts::kinds() const {
  std::map<std::string_view, Totals> kinds;
  const auto all = fxt::kinds();  // event types, then the types of other records
  for (std::size_t i = 0; i < record_types.size(); ++i)
    if (record_types[i].count != 0) kinds[all[event_types.size() + i]] = record_types[i];
  for (std::size_t i = 0; i < event_types.size(); ++i)
    if (event_types[i].count != 0) kinds[all[i]] = event_types[i];
  return kinds;
}

Statistics::Statistics(const Selection& selection, CallReport report)
    : selection_(selection),
      filter_(selection),
      report_(std::move(report)),
      calls_(selection, *this, CallStream::Kinds::DurationsAndAsyncs),
      runs_([this](const CpuRun& run) { ran(run); }) {}

void Statistics::add(const Entry& entry, const Reader& reader) {
  const bool is_of_call = calls_.add(entry, reader);
  const auto* const event = std::get_if<Event>(&entry.record);
  if (event == nullptr || is_async(event->type))
    if (const auto time_ns = time_of(entry.record, reader)) {
      last_ns_ = std::max(last_ns_, *time_ns);
      if (event == nullptr) runs_.add(entry.record, *time_ns);
    }
  const bool is_chosen = selection_.empty() || (filter_.is_in_range(entry, reader) &&
                                                (event != nullptr && is_duration(event->type)
                                                     ? is_of_call && selection_.has_kind(entry.record)
                                                     : selection_.contains(entry.record)));
  if (!is_chosen) return;
  if (event != nullptr) {
    ++element(events_, calls_.index_of(*event));
    ++element(threads_, calls_.thread_of(event->thread).index);
  }
  records_.add(entry, reader);
}

CallGroup Statistics::group_of(const CallTrack& track, const Call& call) {
  if (track.is_async) return CallGroup::Async;
  std::optional<CallGroup>& group = element(groups_, call.name_index);
  if (!group) group = tools::group_of(*call.names);
  return *group;
}

// Returns the index of the line of the report that counts the call.
std::uint32_t Statistics::line_of(const CallTrack& track, const Call& call) {
  const CallGroup group = group_of(track, call);
  const bool is_by_name = report_.by == CallUnit::Function || report_.by == CallUnit::Category;
  std::vector<std::optional<std::uint32_t>>& known = known_lines_.at(static_cast<std::size_t>(group));
  // The line of a thread can be found by the index of the thread's track, but not by the index of an async
  // track.
  if (is_by_name || !track.is_async) {
    std::optional<std::uint32_t>& index = element(known, is_by_name ? call.name_index : track.index);
    if (!index) index = line_with(group, track.thread, *call.names);
    return *index;
  }
  return line_with(group, track.thread, *call.names);
}

std::uint32_t Statistics::line_with(CallGroup group, const ThreadKey& thread, const CallName& name) {
  LineKey key{group, {}, {}};
  auto& [_, category, thread_of_line] = key;
  switch (report_.by) {
    case CallUnit::Function:  // line_of() stores the index
      lines_.push_back({.name = &name, .group = group});
      return static_cast<std::uint32_t>(lines_.size() - 1);
    case CallUnit::Category:
      category = name.category;
      break;
    case CallUnit::Thread:
      thread_of_line = thread;
      break;
    case CallUnit::Process:
      thread_of_line.first = thread.first;
      break;
  }
  const auto [line, is_new] =
      line_indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(lines_.size()));
  if (is_new) lines_.push_back({.group = group});
  return line->second;
}

void Statistics::started(CallTrack& thread, Call& call, const Event& event) {
  if (thread.is_async) {
    call.is_chosen = selection_.contains(event);
    return;
  }
  open_.open(std::uint64_t{thread.index} << 32 | line_of(thread, call));
}

void Statistics::ended(CallTrack& thread, const Call& call) {
  if (thread.is_async) return ended_operation(thread, call);
  last_ns_ = std::max(last_ns_, call.end_ns);
  const std::uint32_t index = line_of(thread, call);
  const bool is_outermost = open_.close(std::uint64_t{thread.index} << 32 | index) == 0;
  const Pairing::Part part = calls_.part_of(call);
  if (!call.is_chosen || part.is_empty) return;
  const std::uint64_t length_ns = part.length_ns();
  Line& line = lines_[index];
  add(line, part);
  line.self_ns += length_ns - std::min(call.inner_ns, length_ns);
  if (is_outermost) line.total_ns += length_ns;
}

void Statistics::add(Line& line, const Pairing::Part& part) const {
  const std::uint64_t length_ns = part.length_ns();
  const bool is_earlier = length_ns == line.max_ns && part.begin_ns < line.max_start_ns;
  if (line.calls == 0 || length_ns > line.max_ns || is_earlier) line.max_start_ns = part.begin_ns;
  ++line.calls;
  line.sum_ns += length_ns;
  line.min_ns = std::min(line.min_ns, length_ns);
  line.max_ns = std::max(line.max_ns, length_ns);
  if (!has_percentiles_) return;
  if (line.lengths == nullptr) line.lengths = std::make_unique<LengthHistogram>();
  line.lengths->add(length_ns);
}

// An operation without an end lasts until the end of the trace.
void Statistics::ended_operation(const CallTrack& track, const Call& operation) {
  const bool never_ends = is_over_ && !operation.has_end;
  const Pairing::Part part = calls_.part_of(operation.start_ns, never_ends ? last_ns_ : operation.end_ns);
  if (!operation.is_chosen || part.is_empty) return;
  Line& line = lines_[line_of(track, operation)];
  add(line, part);
  line.total_ns += part.length_ns();
}

void Statistics::ran(const CpuRun& run) {
  if (!takes(selection_, run)) return;
  const auto count = [&](std::map<std::uint64_t, Line>& lines, std::uint64_t begin_ns, std::uint64_t end_ns) {
    const Pairing::Part part = calls_.part_of(begin_ns, end_ns);
    if (part.is_empty) return;
    Line& line = lines[run.thread];
    add(line, part);
    line.total_ns += part.length_ns();
  };
  count(runs_of_, run.begin_ns, run.end_ns);
  if (run.woken_ns) count(wakings_of_, *run.woken_ns, run.begin_ns);
}

void Statistics::finish() {
  is_over_ = true;
  calls_.finish();  // also ends open async operations
  runs_.finish(last_ns_);
  open_ = {};
  name_lines();
}

void Statistics::name_lines() {
  const ObjectNames& objects = calls_.objects();
  const auto name_line = [this](Line& line, CallName name) {
    line.name = &own_names_.emplace_back(std::move(name));
  };
  for (const auto& [key, index] : line_indices_) {
    const auto& [group, category, thread] = key;
    name_line(lines_[index],
              {.category = category,
               .name = report_.by == CallUnit::Thread    ? objects.text_of(thread)
                       : report_.by == CallUnit::Process ? objects.text_of_process(thread.first)
                                                         : ""});
  }
  for (auto* const by_thread : {&runs_of_, &wakings_of_})
    for (auto& [thread, line] : *by_thread) {
      name_line(line, {.category = {}, .name = objects.text_of_thread(thread)});
      line.group = by_thread == &runs_of_ ? CallGroup::OnCpu : CallGroup::Waking;
    }
}

}  // namespace fxt::tools
