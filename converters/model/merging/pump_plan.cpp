#include "converters/model/merging/pump_plan.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace convert {
namespace {

// The sources that read_later() has postponed are read in groups of this size, so that many cores are busy.
constexpr std::size_t kReadTogether = 16;

std::size_t share_of(std::size_t bytes, std::size_t lanes) {
  constexpr std::size_t kMinBytes = std::size_t{4} << 10;
  return std::max(bytes / std::max<std::size_t>(lanes, 1), kMinBytes);
}

}  // namespace

LookaheadShares::LookaheadShares(std::size_t lookahead_bytes, std::size_t lanes, bool is_order_free)
    : total(lookahead_bytes), lane(share_of(lookahead_bytes, lanes)) {
  // All sources together should read at most this amount in one round. The events are then still in the
  // cache when they are merged.
  constexpr std::size_t kRoundBytes = std::size_t{2} << 20;
  // Reading fewer bytes would be slow, because each read needs a system call and a round.
  constexpr std::size_t kMinSourceBytes = std::size_t{16} << 10;
  shared_source = std::min(share_of(lane, 4), share_of(kRoundBytes, lanes));
  source = is_order_free ? std::max(shared_source, kMinSourceBytes) : shared_source;
}

PumpPlan::PumpPlan(std::vector<SourceState>& sources, std::vector<SharedSourceState>& shared_sources,
                   std::size_t lanes, std::size_t inputs, std::size_t lookahead_bytes)
    : shared_sources_(shared_sources),
      inputs_(inputs),
      is_order_free_(
          shared_sources.empty() &&
          std::ranges::all_of(sources, [](const SourceState& source) { return source.lanes.size() == 1; })),
      shares_(lookahead_bytes, lanes, is_order_free_) {
  delivered_until_ns_.resize(inputs);
  for (SourceState& source : sources) candidates_.push_back(&source);
}

void PumpPlan::add_candidate(SourceState& source) {
  if (!std::exchange(source.is_candidate, true)) candidates_.push_back(&source);
}

void PumpPlan::read_later(SourceState& source, std::uint64_t begin_ns) {
  source.begin_ns = begin_ns;
  source.is_candidate = false;
  unread_.push_back(&source);
}

void PumpPlan::read_first() {
  std::erase_if(candidates_, [](const SourceState* source) { return !source->is_candidate; });
  std::ranges::stable_sort(unread_, std::greater{}, &SourceState::begin_ns);
  read_next();
}

void PumpPlan::read_next() {
  for (std::size_t i = 0; i != kReadTogether && !unread_.empty(); ++i, unread_.pop_back())
    add_candidate(*unread_.back());
}

void PumpPlan::consume(SourceState& source, std::size_t bytes) {
  if (bytes == 0) return;
  source.waiting_bytes -= bytes;
  if (source.waiting_bytes < shares_.source) add_candidate(source);
}

std::vector<std::uint64_t> PumpPlan::find_delivered_until_ns() const {
  std::vector<std::uint64_t> until_ns(inputs_, kForever);
  for (const SharedSourceState& shared : shared_sources_)
    if (!shared.done)
      until_ns[shared.input] = std::min(until_ns[shared.input], shared.source->watermark_ns());
  return until_ns;
}

void PumpPlan::need(SourceState& source) {
  source.is_needed = true;
  add_candidate(source);
}

std::span<const PumpPlan::Task> PumpPlan::plan_round(std::uint64_t merged_ns) {
  tasks_.clear();
  const std::vector<std::uint64_t> before_ns = std::exchange(delivered_until_ns_, find_delivered_until_ns());
  if (!unread_.empty() && unread_.back()->begin_ns <= merged_ns) read_next();
  std::erase_if(candidates_, [&](SourceState* source) {
    const bool is_needed = std::exchange(source->is_needed, false);
    source->is_candidate = !source->done && (is_needed || source->waiting_bytes < shares_.source);
    return !source->is_candidate;
  });
  std::ranges::sort(candidates_);
  // Indexed by input: the lowest watermark of its pumped sources.
  std::vector<std::uint64_t> least_ns(inputs_, kForever);
  std::vector<bool> is_at_limit(inputs_);
  for (SourceState* const source : candidates_) {
    const std::uint64_t watermark_ns = source->source->watermark_ns();
    const std::uint64_t limit_ns = delivered_until_ns_[source->input];
    if (watermark_ns >= limit_ns) {
      is_at_limit[source->input] = true;
      continue;
    }
    tasks_.push_back({source, nullptr, shares_.source, limit_ns});
    least_ns[source->input] = std::min(least_ns[source->input], watermark_ns);
  }
  // Shared sources are first in the round, because other sources wait for them.
  for (SharedSourceState& shared : shared_sources_) {
    const bool is_ahead =
        least_ns[shared.input] != kForever && least_ns[shared.input] >= before_ns[shared.input];
    if (!shared.done && (is_at_limit[shared.input] || is_ahead) &&
        shared.source->watermark_ns() == delivered_until_ns_[shared.input])
      tasks_.insert(tasks_.begin(), {nullptr, &shared, shares_.shared_source});
  }
  return tasks_;
}

bool PumpPlan::is_full(const SourceState& source) const {
  std::size_t delivered_bytes = 0;
  for (const SharedSourceState& shared : shared_sources_) delivered_bytes += shared.source->waiting_bytes();
  return source.waiting_bytes >= shares_.lane * source.lanes.size() || delivered_bytes >= shares_.total;
}

}  // namespace convert
