#include "converters/tfile/survey.h"

#include <algorithm>

namespace convert::tfile {
namespace {

class Surveyor {
 public:
  Surveyor(const TraceFile& trace, const LocationTable& locations)
      : reader_(*trace.file, trace.description, trace.format),
        placer_(trace, locations),
        stamps_(trace.description) {}

  Survey run(const std::function<void()>& tick) {
    constexpr std::uint64_t kFramesPerTick = 4096;
    while (const Frame* frame = reader_.next()) {
      add(*frame);
      if (reader_.has_damage()) add_damage();
      if (frame->number % kFramesPerTick == 0) tick();
    }
    add_damage();
    for (std::size_t number = 0; number < counts_.size(); ++number)
      if (counts_[number] > 0)
        survey_.frames_of.emplace(static_cast<std::int16_t>(static_cast<std::uint16_t>(number)),
                                  counts_[number]);
    survey_.time.frames = reader_.frames_read();
    survey_.time.base = stamps_.base();
    survey_.tracks = placer_.tracks();
    survey_.shown_track = placer_.merged_tracks();
    survey_.frames_without_own_track = placer_.frames_without_own_track();
    survey_.end_offset = reader_.offset();
    return std::move(survey_);
  }

 private:
  void add(const Frame& frame) {
    const Placement placement = placer_.place(frame);
    ++counts_[static_cast<std::uint16_t>(frame.tracepoint)];
    ++(placement.is_step ? survey_.steps : survey_.hits);
    if (placement.entry != nullptr && !placement.is_step) ++survey_.hits_of[placement.entry->location];
    if (frame.is_partial) ++survey_.partial_frames;
    for (const Block& block : frame.blocks) {
      if (block.kind == Block::Kind::Variable) ++survey_.variable_values;
      if (block.kind != Block::Kind::Memory) continue;
      ++survey_.memory_blocks;
      survey_.memory_bytes += block.bytes.size();
    }
    add_time(frame);
  }

  void add_time(const Frame& frame) {
    TimeSurvey& time = survey_.time;
    const auto stamp = stamps_.stamp_ns(frame);
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

  void add_damage() {
    for (Damage& damage : reader_.take_damage()) {
      ++survey_.damage_count;
      survey_.damaged_bytes += damage.end - damage.begin;
      if (survey_.damage.size() < Survey::kKeptDamage) survey_.damage.push_back(std::move(damage));
    }
  }

  FrameReader reader_;
  Placer placer_;
  StampReader stamps_;
  Survey survey_;
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(0x10000);
};

}  // namespace

Survey survey_frames(const TraceFile& trace, const LocationTable& locations,
                     const std::function<void()>& tick) {
  return Surveyor(trace, locations).run(tick);
}

}  // namespace convert::tfile
