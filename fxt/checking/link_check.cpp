// Flows as Perfetto joins them, async operations as the spec pairs them.
#include "fxt/checking/link_check.h"

#include <algorithm>
#include <functional>
#include <string>

#include "fxt/kind.h"

namespace fxt {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 17;

}  // namespace

void LinkCheck::add(const Event& event, std::uint64_t time_ns, std::uint64_t offset) {
  if (event.type < EventType::AsyncBegin || event.type == EventType::AsyncInstant) return;
  const std::hash<std::string_view> hash;
  waiting_.push_back({.time = time_ns,
                      .order = order_++,
                      .type = event.type,
                      .process = event.thread.process,
                      .id = event.id,
                      .name = hash(event.category.text) * 31 + hash(event.name.text),
                      .offset = offset});
  if (waiting_.size() >= kWindow) settle(kWindow / 2);
}

void LinkCheck::settle(std::size_t count) {
  std::ranges::sort(waiting_, [](const Link& a, const Link& b) {
    return a.time != b.time ? a.time < b.time : a.order < b.order;
  });
  for (std::size_t i = 0; i < count; ++i) judge(waiting_[i]);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
}

void LinkCheck::judge(const Link& link) {
  switch (link.type) {
    case EventType::FlowBegin:
      begin_flow(link);
      break;
    case EventType::FlowStep:
    case EventType::FlowEnd:
      follow_flow(link);
      break;
    case EventType::AsyncBegin:
      asyncs_[{link.process, link.id, link.name}].push_back(link.offset);
      break;
    case EventType::AsyncEnd:
      end_async(link);
      break;
    default:
      break;
  }
}

void LinkCheck::begin_flow(const Link& link) {
  if (const auto other = flows_.begin(link.process, link.id, link.offset))
    findings_->error("W21", link.offset, kind_of(link.type),
                     "id " + std::to_string(link.id) + " is in use by the flow begun at " + place(*other),
                     "Perfetto drops it");
}

void LinkCheck::follow_flow(const Link& link) {
  const OpenFlows::Found flow = flows_.find(link.process, link.id);
  switch (flow.match) {
    case OpenFlows::Match::NoneBegan:
      findings_->error("W21", link.offset, kind_of(link.type),
                       "no flow of id " + std::to_string(link.id) + " has begun", "Perfetto drops it");
      break;
    case OpenFlows::Match::SeveralOthers:
      findings_->error("W21", link.offset, kind_of(link.type),
                       "flow " + std::to_string(link.id) + " began in several other processes",
                       "Perfetto can't tell which one goes on here");
      break;
    case OpenFlows::Match::Found:
      if (link.type == EventType::FlowEnd) flows_.end(flow, link.id);
      break;
  }
}

void LinkCheck::end_async(const Link& link) {
  const auto open = asyncs_.find({link.process, link.id, link.name});
  if (open == asyncs_.end()) {
    findings_->warning("W17", link.offset, kind_of(link.type),
                       "no async operation of this process, id and name has begun", "readers ignore it");
    return;
  }
  open->second.pop_back();
  if (open->second.empty()) asyncs_.erase(open);
}

void LinkCheck::finish() {
  settle(waiting_.size());
  for (const auto& [key, offsets] : asyncs_)
    for (const std::uint64_t offset : offsets)
      findings_->warning("W17", offset, kind_of(EventType::AsyncBegin), "never ends",
                         "Perfetto shows it as unfinished");
  flows_.for_each([this](std::uint64_t, std::uint64_t id, std::uint64_t offset) {
    findings_->warning("W21", offset, kind_of(EventType::FlowBegin),
                       "flow " + std::to_string(id) + " never ends", "the spec asks for an end");
  });
}

}  // namespace fxt
