// Follows the durations of every thread as Perfetto and Tracy do: sorted by time, ties in the order of the
// file (rules W15, W16, W17 and the enclosing duration of W21). fxt/nesting.h has the rule itself.
// Internal to the Checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/checking/value_rules.h"
#include "fxt/nesting.h"
#include "fxt/records.h"

namespace fxt {

// One thread, its events sorted.
class TrackCheck {
 public:
  struct Step {
    std::uint64_t time = 0;   // ns
    std::uint64_t order = 0;  // in the file; breaks ties
    std::uint64_t end = 0;    // of DurationComplete
    std::uint64_t name = 0;   // of begins and ends: hash of category and name; 0 if both are empty
    std::uint64_t offset = 0;
    EventType type = EventType::Instant;
    std::uint32_t arguments = 0;  // of begins and ends: ArgumentNames
  };

  TrackCheck(const Findings& findings, const ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}
  // `rule` is what misplaced durations break: W16 if the file is not in time order, else W15.
  void step(const Step& step, std::string_view rule);
  void finish();

 private:
  struct Tag {
    std::uint64_t offset = 0;
    std::uint64_t order = 0;
    std::uint64_t begin = 0;
    std::uint64_t name = 0;       // of those that wait for their end
    std::uint32_t arguments = 0;  // the same
    bool is_tied = false;         // Tracy ends it where it begins, by the end of the one before it
  };

  void apply(const Step& step, std::string_view rule);
  void end(const Step& step, std::string_view rule);
  void refuse(Misplaced misplaced, const Step& step, std::string_view rule);
  void crosses(std::uint64_t offset, EventType type, std::string_view rule) const;

  const Findings* findings_;
  const ArgumentNames* argument_names_;
  Nesting<Tag> durations_;
  std::uint64_t dropped_begins_ = 0;              // too deep, and not ended yet
  std::uint64_t ended_at_ = 0, ended_order_ = 0;  // of complete ones: the latest, by their order
};

class NestingCheck {
 public:
  NestingCheck(const Findings& findings, ArgumentNames& argument_names)
      : findings_(&findings), argument_names_(&argument_names) {}
  // `begin_ns` and `end_ns` are the event's times.
  void add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t offset);
  void finish();

 private:
  struct Track {
    Track(const Findings& findings, const ArgumentNames& argument_names) : check(findings, argument_names) {}
    std::vector<TrackCheck::Step> waiting;
    std::uint64_t latest = 0;   // of what was added
    std::uint64_t settled = 0;  // what was before has been judged
    bool sorted = true;         // what waits is in time order
    bool in_order = true;       // the records came so
    bool lost = false;          // went back further than can be followed
    TrackCheck check;
  };
  Track& track_of(const Thread& thread);
  void settle(Track& track, std::size_t count);

  const Findings* findings_;
  ArgumentNames* argument_names_;
  std::deque<Track> tracks_;  // in the order of their first event
  std::unordered_map<Thread, Track*, ThreadHash> by_thread_;
  Thread last_thread_;
  Track* last_track_ = nullptr;
  std::size_t waiting_ = 0;  // in all tracks
  std::uint64_t order_ = 0;
};

}  // namespace fxt
