// The calls and marks of a trace in a range of time, merged as they come: what is held does not grow with the
// trace, but for what is open on its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/time_range.h"
#include "fxt/tools/calls/open_calls.h"
#include "fxt/tools/drawing/account.h"
#include "fxt/tools/drawing/lane.h"
#include "fxt/tools/program/selection.h"

namespace fxt::tools {

struct TimelineOptions {
  TimeRange range = {};
  Selection events = {};       // by thread, name and category
  std::uint64_t columns = 1;   // pixels from its first to its last time
  std::size_t max_rows = 32;   // of a thread
  std::size_t max_lanes = 64;  // one for each thread
};

class Timeline {
 public:
  explicit Timeline(TimelineOptions options);

  // The next record of the trace. Throws std::invalid_argument where the range turns out to end before it
  // begins.
  void add(const Entry& entry, const Reader& reader);
  // Nothing comes any more; to be called once, before the following.
  void finish(const ReaderCounters& counters);

  struct NamedLane {
    std::string name;
    const Lane* lane;
  };
  // Those with something in them, by process and thread.
  std::vector<NamedLane> lanes() const;
  bool is_empty() const { return account_.threads == 0; }
  const Account& account() const { return account_; }

  // From where to where the picture reaches, and the time that its axis counts from: the trace's first one.
  std::uint64_t from_ns() const { return from_ns_; }
  std::uint64_t to_ns() const { return to_ns_; }
  std::uint64_t origin_ns() const { return origin_ns_; }

 private:
  using ThreadKey = std::pair<std::uint64_t, std::uint64_t>;  // process and thread
  enum class Place : std::uint8_t { Unknown, Lane, None };
  // A call that has begun, and the row that it will have.
  struct Waiting {
    std::size_t row;
    Shape shape;
  };
  struct Track {
    explicit Track(std::size_t max_rows) : lane(max_rows) {}
    OpenCalls open;
    std::size_t shown = 0;  // of those that are open
    std::vector<Waiting> waiting;
    Place place = Place::Unknown;
    Lane lane;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    std::size_t operator()(const Name& name) const { return (*this)(std::string_view(*name)); }
  };
  struct SameName {
    using is_transparent = void;
    static std::string_view text(std::string_view text) { return text; }
    static std::string_view text(const Name& name) { return *name; }
    bool operator()(const auto& a, const auto& b) const { return text(a) == text(b); }
  };

  // Nothing if it is no time.
  std::optional<std::uint64_t> time_of(std::uint64_t ticks, const Reader& reader);
  void add_call(const Record& record, const Event& event, const Reader& reader);
  void add_instant(const Record& record, const Event& event, std::uint64_t time_ns);
  void close(Track& track, const OpenCalls::Call& call, bool has_end);
  bool is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const;

  Shape shape_of(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns);
  Name shared(std::string_view text);
  // Takes what is in the range. False if its thread is not drawn.
  bool take(Track& track, const Shape& shape);
  void put(Track& track, std::size_t row, Shape shape);
  void put_late(Track& track, Shape shape);
  void mark(Track& track, std::size_t row, Shape shape);
  void make_room();
  // Until at most so many shapes are left, or one for each row.
  void merge(std::size_t max_shapes);
  std::uint64_t span_ns() const;
  void count_shapes();
  Track& track_of(const Event& event);

  TimelineOptions options_;
  TimeWindow window_;
  Account account_;
  std::map<ThreadKey, Track> tracks_;
  std::unordered_map<std::uint64_t, std::string> process_names_, thread_names_;  // by koid
  std::unordered_set<Name, NameHash, SameName> names_;
  std::size_t lanes_ = 0;
  std::size_t held_ = 0, held_limit_;  // in shapes
  std::size_t names_limit_;
  std::uint64_t merged_ns_ = 0;            // what is narrower was merged, at some time
  std::optional<std::uint64_t> start_ns_;  // the trace's first time
  std::uint64_t last_ns_ = 0;              // the latest of all
  std::uint64_t first_drawn_ns_ = ~std::uint64_t{0}, last_drawn_ns_ = 0;
  std::uint64_t from_ns_ = 0, to_ns_ = 0, origin_ns_ = 0;
};

}  // namespace fxt::tools
