#include "converters/tfile/threads/survey.h"

#include <algorithm>
#include <string_view>

#include "converters/tfile/frames/pattern_reader.h"

namespace convert::tfile {
namespace {

std::optional<std::uint64_t> find_trace(FileWindow& file, std::uint64_t begin) {
  constexpr std::string_view kMagicOfAllVersions = kMagic.substr(0, 6);
  for (std::uint64_t offset = begin; offset + kMagicOfAllVersions.size() <= file.size();) {
    const auto bytes = file.at(offset, kMagicOfAllVersions.size());
    if (bytes.size() < kMagicOfAllVersions.size()) break;
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t found = text.find(kMagicOfAllVersions);
    if (found != std::string_view::npos) return offset + found;
    offset += text.size() - kMagicOfAllVersions.size() + 1;
  }
  return std::nullopt;
}

class Surveyor {
 public:
  Surveyor(const TraceFile& trace, const LocationTable& locations)
      : file_(*trace.file),
        reader_(*trace.file, trace.description, trace.format),
        patterns_(reader_, trace.description, trace.format.order),
        classifier_(trace, locations) {}

  TraceSurvey run() {
    while (const Frame* frame = next_unknown()) {
      add(*frame);
      if (reader_.has_damage()) add_damage();
    }
    add_damage();
    if (const std::uint64_t size = reader_.bytes_behind_end(); size > 0)
      survey_.rest = {
          .begin = reader_.offset(), .size = size, .next_trace = find_trace(file_, reader_.offset())};
    for (const KnownFrames& known : known_) add_known(known);
    for (std::size_t number = 0; number < counts_.size(); ++number)
      if (counts_[number] > 0)
        survey_.frames_of.emplace(static_cast<std::int16_t>(static_cast<std::uint16_t>(number)),
                                  counts_[number]);
    survey_.time.frames = reader_.frames_read();
    survey_.time.base = patterns_.stamps().base();
    const ThreadTracks& tracks = classifier_.tracks();
    survey_.tracks = tracks.all();
    survey_.shown_track = tracks.merged();
    survey_.frames_without_own_track = tracks.frames_without_own();
    collect_marks();
    return std::move(survey_);
  }

 private:
  struct Contents {
    std::uint64_t memory_blocks = 0, memory_bytes = 0, variable_values = 0;
  };

  // The frames of a known pattern: the contents of the first frame, and the number of the others.
  struct KnownFrames {
    std::int16_t tracepoint;
    Contents contents;
    FrameContext context;
    std::uint64_t others = 0;
  };

  // The hot path: counts the frames of known patterns. Returns the next frame of another pattern, or null.
  const Frame* next_unknown() {
    while (const auto* match = patterns_.peek()) {
      KnownFrames& known = known_[match->pattern];
      ++known.others;
      if (match->has_stamp) {
        add_stamp(match->stamp_ns);
        add_mark(known.context, match->stamp_ns);
      }
      patterns_.skip(*match);
    }
    return reader_.next();
  }

  void add(const Frame& frame) {
    const FrameContext context = classifier_.classify(frame);
    count(frame.tracepoint, contents_of(frame), context, 1);
    if (frame.is_partial) ++survey_.partial_frames;
    const auto stamp_ns = patterns_.stamps().stamp_ns(frame);
    if (patterns_.stamps().was_impossible()) ++survey_.time.impossible;
    if (stamp_ns) {
      add_stamp(*stamp_ns);
      add_mark(context, *stamp_ns);
    }
    if (classifier_.classifies_alike(frame) && patterns_.learn(frame, stamp_ns.has_value()))
      known_.push_back({.tracepoint = frame.tracepoint, .contents = contents_of(frame), .context = context});
  }

  void add_known(const KnownFrames& known) {
    if (known.others == 0) return;
    count(known.tracepoint, known.contents, known.context, known.others);
    classifier_.add_frames(known.context.track, known.others);
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

  // Counts `frames` frames that have the same contents and context.
  void count(std::int16_t tracepoint, const Contents& contents, const FrameContext& context,
             std::uint64_t frames) {
    counts_[static_cast<std::uint16_t>(tracepoint)] += frames;
    count_on({tracepoint, context.track}, frames);
    (context.is_step ? survey_.steps : survey_.hits) += frames;
    if (context.location != nullptr && !context.is_step)
      survey_.hits_of[context.location->location] += frames;
    survey_.variable_values += frames * contents.variable_values;
    survey_.memory_blocks += frames * contents.memory_blocks;
    survey_.memory_bytes += frames * contents.memory_bytes;
  }

  void count_on(const std::pair<std::int16_t, std::size_t>& track, std::uint64_t frames) {
    auto& counts = survey_.frames_on;
    // Consecutive frames are often on the same track.
    if (latest_ == counts.end() || latest_->first != track) latest_ = counts.find(track);
    if (latest_ == counts.end() && counts.size() < TraceSurvey::kTracepointTracks)
      latest_ = counts.try_emplace(track).first;
    if (latest_ != counts.end()) latest_->second += frames;
  }

  void add_stamp(std::uint64_t stamp_ns) {
    TimeSurvey& time = survey_.time;
    if (time.stamped++ == 0) {
      time.first_ns = time.last_ns = stamp_ns;
      return;
    }
    if (stamp_ns < time.last_ns) ++time.reversed;
    time.first_ns = std::min(time.first_ns, stamp_ns);
    time.last_ns = std::max(time.last_ns, stamp_ns);
  }

  void add_mark(const FrameContext& context, std::uint64_t stamp_ns) {
    if (context.is_step || context.location == nullptr || context.track >= TraceSurvey::kMarkedTracks) return;
    if (context.track >= samples_.size()) samples_.resize(context.track + 1);
    samples_[context.track].add(stamp_ns, context.location->location->address);
  }

  void collect_marks() {
    survey_.marks.resize(survey_.tracks.size());
    for (std::size_t track = 0; track < samples_.size(); ++track) {
      // If hits of unknown threads are shown on the track of a thread, they may be hits of other threads.
      // Therefore, they are not used to find this thread in another input.
      const bool is_unknown = survey_.tracks[track].clue == ThreadClue::None;
      if (is_unknown && survey_.shown_track[track] != track) continue;
      auto& marks = survey_.marks[survey_.shown_track[track]];
      const auto& own = samples_[track].marks();
      marks.insert(marks.end(), own.begin(), own.end());
    }
    for (auto& marks : survey_.marks) std::ranges::stable_sort(marks, {}, &ThreadMark::time_ns);
  }

  void add_damage() {
    for (Damage& damage : reader_.pop_damage()) {
      ++survey_.damage_count;
      if (survey_.damage.size() < TraceSurvey::kKeptDamage) survey_.damage.push_back(std::move(damage));
    }
  }

  FileWindow& file_;
  FrameReader reader_;
  PatternReader patterns_;
  FrameClassifier classifier_;
  std::vector<KnownFrames> known_;   // by pattern
  std::vector<MarkSample> samples_;  // by track
  TraceSurvey survey_;
  decltype(TraceSurvey::frames_on)::iterator latest_ = survey_.frames_on.end();
  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(0x10000);  // frames by tracepoint
};

}  // namespace

std::vector<std::uint64_t> TraceSurvey::frames_shown() const {
  std::vector<std::uint64_t> frames(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) frames[shown_track[i]] += tracks[i].frames;
  return frames;
}

TraceSurvey survey_frames(const TraceFile& trace, const LocationTable& locations) {
  return Surveyor(trace, locations).run();
}

}  // namespace convert::tfile
