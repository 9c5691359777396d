#include "converters/tfile/threads/survey.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "converters/tfile/frames/frame_pattern.h"
#include "converters/tfile/frames/mark_sample.h"

namespace convert::tfile {
namespace {

class Surveyor {
 public:
  Surveyor(const TraceFile& trace, const LocationTable& locations)
      : reader_(*trace.file, trace.description, trace.format),
        order_(trace.format.order),
        placer_(trace, locations),
        stamps_(trace.description) {}

  Survey run(const std::function<void()>& tick) {
    while (const Frame* frame = next_unknown(tick)) {
      add(*frame);
      if (reader_.has_damage()) add_damage();
    }
    add_damage();
    for (const Known& known : known_) add_known(known);
    for (std::size_t number = 0; number < counts_.size(); ++number)
      if (counts_[number] > 0)
        survey_.frames_of.emplace(static_cast<std::int16_t>(static_cast<std::uint16_t>(number)),
                                  counts_[number]);
    survey_.time.frames = reader_.frames_read();
    survey_.time.base = stamps_.base();
    survey_.tracks = placer_.tracks();
    survey_.shown_track = placer_.merged_tracks();
    collect_marks();
    survey_.frames_without_own_track = placer_.frames_without_own_track();
    return std::move(survey_);
  }

 private:
  struct Contents {
    std::uint64_t memory_blocks = 0, memory_bytes = 0, variable_values = 0;
  };

  // Frames of one pattern: the first one, which was looked at in full, and how many like it there were.
  struct Known {
    std::int16_t tracepoint;
    Contents contents;
    Placement placement;
    std::size_t size = 0;  // bytes, header included
    std::optional<std::size_t> stamp_offset;
    std::uint64_t others = 0;
  };

  // The hot path: passes over the frames of known patterns. The next other one, or null at the end.
  const Frame* next_unknown(const std::function<void()>& tick) {
    constexpr std::uint64_t kFramesPerTick = 4096;
    for (;;) {
      if (reader_.frames_read() % kFramesPerTick == 0) tick();
      const auto ahead = reader_.ahead();
      const std::size_t pattern = patterns_.find(ahead);
      if (pattern == FramePatterns::kNone) return reader_.next();
      Known& known = known_[pattern];
      ++known.others;
      if (known.stamp_offset) {
        const auto stamp = stamps_.stamp_ns(ahead, *known.stamp_offset, order_);
        add_time(stamp);
        mark(known.placement, stamp);
      }
      reader_.take(known.size);
    }
  }

  void add(const Frame& frame) {
    const Placement placement = placer_.place(frame);
    count(frame.tracepoint, contents_of(frame), placement, 1);
    if (frame.is_partial) ++survey_.partial_frames;
    const auto stamp = stamps_.stamp_ns(frame);
    add_time(stamp);
    mark(placement, stamp);
    if (placer_.places_alike(frame) && patterns_.wants_another(frame)) learn(frame, placement);
  }

  void learn(const Frame& frame, const Placement& placement) {
    auto pattern = FramePattern::of(frame);
    if (!pattern || !stamps_.is_simple(*pattern)) return;
    known_.push_back({.tracepoint = frame.tracepoint,
                      .contents = contents_of(frame),
                      .placement = placement,
                      .size = pattern->size(),
                      .stamp_offset = stamps_.stamp_offset(*pattern)});
    patterns_.add(frame, *std::move(pattern));
  }

  void add_known(const Known& known) {
    if (known.others == 0) return;
    count(known.tracepoint, known.contents, known.placement, known.others);
    placer_.count_more(known.placement.track, known.others);
  }

  static Contents contents_of(const Frame& frame) {
    Contents contents;
    for (const Block& block : frame.blocks) {
      if (block.kind == Block::Kind::Variable) ++contents.variable_values;
      if (block.kind != Block::Kind::Memory) continue;
      ++contents.memory_blocks;
      contents.memory_bytes += block.bytes.size();
    }
    return contents;
  }

  // So many frames alike.
  void count(std::int16_t tracepoint, const Contents& contents, const Placement& placement,
             std::uint64_t frames) {
    counts_[static_cast<std::uint16_t>(tracepoint)] += frames;
    (placement.is_step ? survey_.steps : survey_.hits) += frames;
    if (placement.entry != nullptr && !placement.is_step)
      survey_.hits_of[placement.entry->location] += frames;
    survey_.variable_values += frames * contents.variable_values;
    survey_.memory_blocks += frames * contents.memory_blocks;
    survey_.memory_bytes += frames * contents.memory_bytes;
  }

  // Of the frame at hand.
  void add_time(std::optional<std::uint64_t> stamp) {
    TimeSurvey& time = survey_.time;
    if (stamps_.was_impossible()) ++time.impossible;
    if (!stamp) return;
    if (time.stamped++ == 0) {
      time.first_ns = time.last_ns = *stamp;
      return;
    }
    if (*stamp < time.last_ns) ++time.reversed;
    time.first_ns = std::min(time.first_ns, *stamp);
    time.last_ns = std::max(time.last_ns, *stamp);
  }

  void mark(const Placement& placement, std::optional<std::uint64_t> stamp) {
    if (!stamp || placement.is_step || placement.entry == nullptr || placement.track >= Survey::kMarkedTracks)
      return;
    if (placement.track >= samples_.size()) samples_.resize(placement.track + 1);
    samples_[placement.track].add(*stamp, placement.entry->location->address);
  }

  void collect_marks() {
    survey_.marks.resize(survey_.tracks.size());
    for (std::size_t track = 0; track < samples_.size(); ++track) {
      auto& marks = survey_.marks[survey_.shown_track[track]];
      const auto own = samples_[track].take();
      marks.insert(marks.end(), own.begin(), own.end());
    }
    for (auto& marks : survey_.marks) std::ranges::stable_sort(marks, {}, &ThreadMark::time_ns);
  }

  void add_damage() {
    for (Damage& damage : reader_.take_damage()) {
      ++survey_.damage_count;
      if (survey_.damage.size() < Survey::kKeptDamage) survey_.damage.push_back(std::move(damage));
    }
  }

  FrameReader reader_;
  std::endian order_;
  Placer placer_;
  FramePatterns patterns_;
  std::vector<Known> known_;  // by pattern
  StampReader stamps_;
  std::vector<MarkSample> samples_;  // by track
  Survey survey_;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(0x10000);
};

}  // namespace

Survey survey_frames(const TraceFile& trace, const LocationTable& locations,
                     const std::function<void()>& tick) {
  return Surveyor(trace, locations).run(tick);
}

}  // namespace convert::tfile
