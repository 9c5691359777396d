// Reports faults of flows and async operations; fxt/checking/links.h states the rules. Events must come in
// the order of time. Internal to the Checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "fxt/checking/findings.h"
#include "fxt/checking/links.h"
#include "fxt/checking/value_rules.h"
#include "fxt/records.h"

namespace fxt {

class LinkCheck {
 public:
  LinkCheck(const Findings& findings, ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}

  // Checks flow and async events; ignores other events.
  void add(const Event& event, std::uint64_t time_ns, std::uint64_t offset) {
    Link link{.time = time_ns,
              .type = event.type,
              .process = event.thread.process,
              .id = event.id,
              .names = hash_of_names(event.category.text, event.name.text),
              .offset = offset};
    if (is_flow(event.type)) return judge_flow(link);
    if (!is_async(event.type)) return;
    link.arguments = argument_names_->number_of(event.arguments);
    judge_async(link);
  }
  void finish() const {
    for (const auto& [id, async] : asyncs_)
      for (const auto& operation : async.open)
        if (!operation.end)
          findings_->report(Fault::AsyncNeverEnds, operation.tag, kind_of(EventType::AsyncBegin),
                            "never ends");
    flows_.for_each([this](std::uint64_t, std::uint64_t id, const Flow& flow) {
      findings_->report(Fault::FlowNeverEnds, flow.offset, kind_of(EventType::FlowBegin),
                        "flow " + std::to_string(id) + " never ends");
    });
  }

 private:
  struct Link {
    std::uint64_t time = 0;
    EventType type = EventType::FlowBegin;
    std::uint64_t process = 0;
    std::uint64_t id = 0;
    std::size_t names = 0;  // result of hash_of_names()
    std::uint64_t offset = 0;
    std::uint32_t arguments = 0;  // for async begins and ends: the set of argument names, as a number
  };
  struct Flow {
    std::uint64_t offset = 0;  // offset of the flow's begin
    std::uint64_t last = 0;    // time of the flow's last event
  };
  struct Async : OpenAsyncs<std::uint64_t> {  // the tag is the offset of the begin
    std::size_t ended = 0;   // number of operations that ended while an operation was open inside them
    std::uint64_t last = 0;  // time of the last event
  };

  void report(Fault fault, const Link& link, std::string_view other = {}) const {
    findings_->report(fault, link.offset, kind_of(link.type), problem_of(fault, link.id).append(other));
  }
  void judge_flow(const Link& link) {
    const auto flow = flows_.find(link.process, link.id);
    if (flow && link.time < flow.tag->last)
      report(Fault::OutOfOrder, link, "its flow");
    else if (const auto fault = flows_.fault_of(link.type, link.process, flow))
      report(*fault, link,
             fault == Fault::FlowInUse ? " the start at " + offset_text(flow.tag->offset) : std::string());
    else if (link.type == EventType::FlowBegin)
      flows_.begin(link.process, link.id, {.offset = link.offset, .last = link.time});
    else if (link.type == EventType::FlowEnd)
      flows_.end(flow, link.id);
    else
      flow.tag->last = link.time;
  }
  // When the id's next event comes, Perfetto ends all operations that are open inside an ended operation.
  void judge_async(const Link& link) {
    Async& async = asyncs_[link.id];
    if (link.time < async.last) return report(Fault::OutOfOrder, link, "its id");
    async.last = link.time;
    for (std::size_t i = async.open.size(); async.ended > 0 && i-- > 0;) {
      if (!async.open[i].end || *async.open[i].end >= link.time) continue;
      if (i + 1 < async.open.size())
        findings_->report(Fault::AsyncOpenWhenEnded, async.open[i + 1].tag, kind_of(EventType::AsyncBegin),
                          "still open after the outer operation with the same id, at " +
                              offset_text(async.open[i].tag) + ", has ended");
      async.open.erase(async.open.begin() + static_cast<std::ptrdiff_t>(i));
      --async.ended;
    }
    if (link.type == EventType::AsyncEnd)
      end_async(async, link);
    else if (link.type == EventType::AsyncBegin && async.is_full())
      report(Fault::AsyncTooDeep, link);
    else if (link.type == EventType::AsyncBegin)
      async.open.push_back(
          {.process = link.process, .names = link.names, .arguments = link.arguments, .tag = link.offset});
    else if (link.type == EventType::AsyncInstant && async.open.empty())
      report(Fault::AsyncInstantOutside, link);
    if (async.open.empty()) asyncs_.erase(link.id);
  }
  void end_async(Async& async, const Link& link) {
    const auto [ended, is_around_open, is_of_other, repeats_a_name] =
        async.find_end(link.process, link.names, link.arguments, *argument_names_);
    if (ended == nullptr) return report(Fault::AsyncStrayEnd, link);
    const std::string begin = ", at " + offset_text(ended->tag);
    if (is_of_other) report(Fault::AsyncOfOtherProcess, link, begin);
    if (repeats_a_name) report(Fault::NameOfBegin, link, begin);
    if (is_around_open) {
      ended->end = link.time;
      ++async.ended;
    } else {
      async.open.pop_back();
    }
  }

  const Findings* findings_;
  ArgumentNames* argument_names_;
  OpenFlows<Flow> flows_;
  std::map<std::uint64_t, Async> asyncs_;
};

}  // namespace fxt
