#include "converters/uftrace/perf/perf_file_source.h"

#include <algorithm>
#include <limits>

namespace convert::uftrace {
namespace {

constexpr std::size_t kMinEvents = 64;  // a turn

}  // namespace

PerfFileSource::PerfFileSource(const std::vector<CpuFile>& files, const PerfReading& reading,
                               std::unordered_map<ThreadId, PerfQueue*> perf_queues, const Wanted& wanted,
                               ImportStats& stats)
    : events_(files, reading), queues_(std::move(perf_queues)), wanted_(wanted), stats_(&stats) {
  stats_->bytes_total += events_.size();
}

bool PerfFileSource::pump(const PumpBudget& turn) {
  const std::uint64_t before = bytes_read_;
  std::size_t left = std::max(turn.lane_bytes / sizeof(PerfMessage), kMinEvents);
  for (; left > 0 && !events_.at_end(); --left, events_.advance()) stage(events_.event(), events_.cpu());
  bytes_read_ = events_.bytes_read();
  stats_->add_read(bytes_read_ - before, 0);
  return !events_.at_end();
}

void PerfFileSource::stage(const PerfEvent& event, std::uint32_t cpu) {
  using Kind = PerfEvent::Kind;
  const bool is_switch = event.is_switch_out() || event.kind == Kind::SwitchIn;
  const bool is_turn = event.kind == Kind::Exit || event.kind == Kind::Exec;  // in its life
  const bool is_name = event.kind == Kind::Comm && wanted_.names != nullptr;
  if (!is_turn && !is_name && !(is_switch && wanted_.switches)) return;  // known since the scan
  const auto queue = queues_.find(event.tid);
  if (queue == queues_.end()) return;
  constexpr std::uint32_t kLastCpu = std::numeric_limits<std::uint16_t>::max();  // of FXT
  staged_.emplace_back(queue->second,
                       PerfMessage{.time_ns = event.time_ns,
                                   .cpu = static_cast<std::uint16_t>(std::min(cpu, kLastCpu)),
                                   .kind = event.kind,
                                   .name = is_name ? wanted_.names->intern(event.comm) : NameId{}});
}

void PerfFileSource::deliver() {
  for (const auto& [queue, message] : staged_) queue->put(message);
  staged_.clear();
}

std::uint64_t PerfFileSource::watermark_ns() const {
  return events_.at_end() ? kForever : events_.event().order_ns;
}

std::size_t PerfFileSource::waiting_bytes() const {
  std::size_t sum = 0;
  for (const auto& [tid, queue] : queues_) sum += queue->waiting_bytes();
  return sum;
}

}  // namespace convert::uftrace
