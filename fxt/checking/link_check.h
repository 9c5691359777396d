// Begins, steps and ends that belong together by an id: flows and async operations (rules W17, W21). They
// are judged in time order, in a window, for threads may follow one another in the file. Internal to the
// Checker.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "fxt/checking/argument_rules.h"
#include "fxt/checking/findings.h"
#include "fxt/checking/open_flows.h"
#include "fxt/records.h"

namespace fxt {

class LinkCheck {
 public:
  LinkCheck(const Findings& findings, ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}
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
    std::uint32_t arguments = 0;  // of async begins and ends: ArgumentNames
  };
  // The async operations of one id, as Perfetto stacks them: whatever their processes, ended by their names.
  struct Operation {
    std::uint64_t process = 0;
    std::uint64_t name = 0;
    std::uint64_t offset = 0;
    std::uint32_t arguments = 0;
    std::uint64_t end = kOpen;  // of those that ended before the ones inside them
  };
  struct Async {
    std::vector<Operation> open = {};  // outermost first
    std::size_t ended = 0;             // of these
    std::unordered_map<std::uint64_t, std::uint64_t> waiting =
        {};  // how many of each name wait for their end
  };
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};

  void settle(std::size_t count);
  void judge(const Link& link);
  void begin_flow(const Link& link);
  void follow_flow(const Link& link);
  void judge_async(const Link& link);
  void end_async(Async& async, const Link& link);

  const Findings* findings_;
  ArgumentNames* argument_names_;
  std::vector<Link> waiting_;
  std::uint64_t order_ = 0;
  std::uint64_t settled_ = 0;  // what was before has been judged
  bool lost_ = false;          // went back further than can be followed
  OpenFlows flows_;            // by the offsets of their begins
  std::map<std::uint64_t, Async> asyncs_;
};

}  // namespace fxt
