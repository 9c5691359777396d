// Reports what breaks the rules of flows and async operations, which fxt/checking/links.h states. Events are
// judged in time order, in a window, for threads may follow one another in the file. Internal to the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/checking/links.h"
#include "fxt/checking/value_rules.h"
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
    std::size_t names = 0;  // hash_of_names()
    std::uint64_t offset = 0;
    std::uint32_t arguments = 0;  // of async begins and ends: ArgumentNames
  };
  struct Async : OpenAsyncs<std::uint64_t> {  // by the offsets of their begins
    std::size_t ended = 0;                    // operations that ended before one that is inside them
  };

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
  std::uint64_t settled_ = 0;       // what was before has been judged
  bool lost_ = false;               // went back further than can be followed
  OpenFlows<std::uint64_t> flows_;  // by the offsets of their begins
  std::map<std::uint64_t, Async> asyncs_;
};

}  // namespace fxt
