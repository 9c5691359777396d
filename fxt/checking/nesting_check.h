// Follows the durations of every thread as Perfetto and Tracy do: sorted by time, ties in the order of the
// file (rules W15, W16, W17 and the enclosing duration of W21). Internal to the Checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "fxt/checking/findings.h"
#include "fxt/records.h"

namespace fxt {

// One thing that happens on a thread.
struct Step {
  enum class Kind : std::uint8_t { Instant, Begin, End, Complete, CompleteEnd, Flow };
  std::uint64_t time = 0;   // ns
  std::uint64_t order = 0;  // in the file; breaks ties
  std::uint64_t end = 0;    // of Complete
  std::uint64_t name = 0;   // of Begin and End: hash of category and name; 0 if both are empty
  std::uint64_t offset = 0;
  Kind kind = Kind::Instant;
};

// Perfetto's stack of one track: what it drops and cuts.
class PerfettoStack {
 public:
  explicit PerfettoStack(const Findings& findings) : findings_(&findings) {}
  void step(const Step& step, std::string_view rule);

 private:
  struct Slice {
    std::uint64_t begin = 0;
    std::optional<std::uint64_t> end;  // none while it waits for its end event
    std::uint64_t offset = 0;
    bool is_instant = false;
  };
  bool make_room(const Step& step, std::optional<std::uint64_t> duration, std::string_view rule);
  void open(const Step& step, std::optional<std::uint64_t> duration, std::string_view rule);
  void close(const Step& step, std::string_view rule);
  void bind_flow(const Step& step) const;

  const Findings* findings_;
  std::vector<Slice> slices_;
};

// Tracy's blind pairing of one thread, against what the file means: a begin belongs to the end event that
// closes it among begins and ends alone, a complete event to its own end.
class TracyStack {
 public:
  explicit TracyStack(const Findings& findings) : findings_(&findings) {}
  void step(const Step& step, std::string_view rule);
  void finish();

 private:
  struct Zone {
    std::optional<std::uint64_t> meant_end;  // none while its end event has not come
    std::size_t begin = 0;                   // of a begin: its place in begins_
    std::uint64_t offset = 0;
  };
  struct Begin {
    std::optional<std::uint64_t> tracy_end;  // Tracy ended it already
    std::size_t zone = 0;                    // its place in zones_
    std::uint64_t name = 0;
    std::uint64_t offset = 0;
  };
  void pop(const Step& step, std::string_view rule);
  void end_begin(const Step& step, std::string_view rule);
  void mismatch(std::uint64_t offset, std::string_view rule) const;

  const Findings* findings_;
  std::vector<Zone> zones_;
  std::vector<Begin> begins_;
};

class NestingCheck {
 public:
  explicit NestingCheck(const Findings& findings) : findings_(&findings) {}
  // `begin_ns` and `end_ns` are the event's times.
  void add(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t offset);
  void finish();

 private:
  struct ThreadHash {
    std::size_t operator()(const Thread& thread) const {
      return std::hash<std::uint64_t>{}(thread.process * 0x9e37'79b9'7f4a'7c15 ^ thread.thread);
    }
  };
  struct Track {
    explicit Track(const Findings& findings) : perfetto(findings), tracy(findings) {}
    std::vector<Step> waiting;
    std::uint64_t latest = 0;   // of what was added
    std::uint64_t settled = 0;  // what was before has been judged
    bool sorted = true;         // what waits is in time order
    bool in_order = true;       // the records came so
    bool lost = false;          // went back further than can be followed
    PerfettoStack perfetto;
    TracyStack tracy;
  };
  enum class Settle : std::uint8_t { PastHalf, Half, All };
  Track& track_of(const Thread& thread);
  void push(Track& track, const Step& step);
  void settle(Track& track, Settle part);

  const Findings* findings_;
  std::deque<Track> tracks_;  // in the order of their first event
  std::unordered_map<Thread, Track*, ThreadHash> by_thread_;
  Thread last_thread_;
  Track* last_track_ = nullptr;
  std::size_t waiting_ = 0;  // in all tracks
  std::uint64_t order_ = 0;
};

}  // namespace fxt
