#include "fxt/checking/link_check.h"

#include <algorithm>
#include <string>

#include "fxt/records.h"

namespace fxt {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 17;

}  // namespace

void LinkCheck::add(const Event& event, std::uint64_t time_ns, std::uint64_t offset) {
  if (!is_flow(event.type) && !is_async(event.type)) return;
  if (time_ns < settled_ && !lost_) {
    findings_->report(Fault::OutOfWindow, offset, kind_of(event.type),
                      "goes back in time further than can be followed; flows and async operations are not "
                      "checked from here on");
    lost_ = true;
  }
  if (lost_) return;
  waiting_.push_back({.time = time_ns,
                      .order = order_++,
                      .type = event.type,
                      .process = event.thread.process,
                      .id = event.id,
                      .names = hash_of_names(event),
                      .offset = offset,
                      .arguments = is_async(event.type) ? argument_names_->number_of(event.arguments) : 0});
  if (waiting_.size() >= kWindow) settle(kWindow / 2);
}

void LinkCheck::settle(std::size_t count) {
  if (count == 0) return;
  std::ranges::sort(waiting_, [](const Link& a, const Link& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  });
  for (std::size_t i = 0; i < count; ++i) judge(waiting_[i]);
  settled_ = waiting_[count - 1].time;
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
}

void LinkCheck::judge(const Link& link) {
  if (is_async(link.type)) {
    judge_async(link);
  } else if (link.type == EventType::FlowBegin) {
    begin_flow(link);
  } else {
    follow_flow(link);
  }
}

void LinkCheck::begin_flow(const Link& link) {
  if (!flows_.begin(link.process, link.id, link.offset))
    findings_->report(Fault::FlowInUse, link.offset, kind_of(link.type),
                      "id " + std::to_string(link.id) + " is in use by the flow begun at " +
                          place(*flows_.find(link.process, link.id).tag));
}

void LinkCheck::follow_flow(const Link& link) {
  const auto flow = flows_.find(link.process, link.id);
  if (flow.match == decltype(flows_)::Match::NoneBegan)
    findings_->report(Fault::FlowNotBegun, link.offset, kind_of(link.type),
                      "no flow of id " + std::to_string(link.id) + " has begun");
  else if (flow.match == decltype(flows_)::Match::SeveralOthers)
    findings_->report(Fault::FlowOfSeveral, link.offset, kind_of(link.type),
                      "flow " + std::to_string(link.id) + " began in several other processes");
  else if (link.type == EventType::FlowEnd)
    flows_.end(flow, link.id);
}

// Perfetto cuts what is still open inside an operation that has ended, at the next event of the id.
void LinkCheck::judge_async(const Link& link) {
  Async& async = asyncs_[link.id];
  for (std::size_t i = async.open.size(); async.ended > 0 && i-- > 0;) {
    if (!async.open[i].end || *async.open[i].end >= link.time) continue;
    if (i + 1 < async.open.size())
      findings_->report(Fault::AsyncOpenWhenEnded, async.open[i + 1].tag, kind_of(EventType::AsyncBegin),
                        "still open after the operation of the same id around it, at " +
                            place(async.open[i].tag) + ", has ended");
    async.open.erase(async.open.begin() + static_cast<std::ptrdiff_t>(i));
    --async.ended;
  }
  if (link.type == EventType::AsyncEnd)
    end_async(async, link);
  else if (link.type == EventType::AsyncBegin && async.is_full())
    findings_->report(Fault::AsyncTooDeep, link.offset, kind_of(link.type),
                      "lies deeper than 512 operations of its id");
  else if (link.type == EventType::AsyncBegin)
    async.open.push_back(
        {.process = link.process, .names = link.names, .arguments = link.arguments, .tag = link.offset});
  if (async.open.empty()) asyncs_.erase(link.id);
}

void LinkCheck::end_async(Async& async, const Link& link) {
  const auto [ended, is_around_open, is_of_other, repeats_a_name] =
      async.find_end(link.process, link.names, link.arguments, *argument_names_);
  if (ended == nullptr)
    return findings_->report(Fault::AsyncStrayEnd, link.offset, kind_of(link.type),
                             "no async operation of this id, category and name has begun");
  if (is_of_other)
    findings_->report(
        Fault::AsyncOfOtherProcess, link.offset, kind_of(link.type),
        "the operation of its id begun in another process, at " + place(ended->tag) + ", is still open");
  if (repeats_a_name)
    findings_->report(Fault::NameOfBegin, link.offset, kind_of(link.type),
                      "has an argument named like one of its begin, at " + place(ended->tag));
  if (is_around_open) {
    ended->end = link.time;
    ++async.ended;
  } else {
    async.open.pop_back();
  }
}

void LinkCheck::finish() {
  settle(waiting_.size());
  if (lost_) return;
  for (const auto& [id, async] : asyncs_)
    for (const auto& operation : async.open)
      if (!operation.end)
        findings_->report(Fault::AsyncNeverEnds, operation.tag, kind_of(EventType::AsyncBegin), "never ends");
  flows_.for_each([this](std::uint64_t, std::uint64_t id, std::uint64_t offset) {
    findings_->report(Fault::FlowNeverEnds, offset, kind_of(EventType::FlowBegin),
                      "flow " + std::to_string(id) + " never ends");
  });
}

}  // namespace fxt
