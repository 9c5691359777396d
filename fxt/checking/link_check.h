// Begins, steps and ends that belong together by an id: flows and async operations (rules W17, W21). They
// are judged in time order, in a window, for threads may follow one another in the file. Internal to the
// Checker.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/checking/open_flows.h"
#include "fxt/records.h"

namespace fxt {

class LinkCheck {
 public:
  explicit LinkCheck(const Findings& findings) : findings_(&findings) {}
  // Takes flow and async events; others are ignored.
  void add(const Event& event, std::uint64_t time_ns, std::uint64_t offset);
  void finish();

 private:
  struct Link {
    std::uint64_t time = 0;
    std::uint64_t order = 0;
    EventType type = EventType::FlowBegin;
    std::uint64_t process = 0;
    std::uint64_t id = 0;
    std::uint64_t name = 0;  // hash of category and name
    std::uint64_t offset = 0;
  };
  void settle(std::size_t count);
  void judge(const Link& link);
  void begin_flow(const Link& link);
  void follow_flow(const Link& link);
  void end_async(const Link& link);

  const Findings* findings_;
  std::vector<Link> waiting_;
  std::uint64_t order_ = 0;
  OpenFlows flows_;  // by the offsets of their begins
  // Open async operations by process, id and name; where they began.
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::vector<std::uint64_t>> asyncs_;
};

}  // namespace fxt
