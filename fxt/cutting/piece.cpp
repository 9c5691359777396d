#include "fxt/cutting/piece.h"

#include <cstddef>
#include <string_view>

namespace fxt {
namespace {

// The size that --split-size reads ahead: 1/kBlocks of the piece, but not more than kMaxBlockBytes.
constexpr std::uint64_t kBlocks = 64, kMaxBlockBytes = std::uint64_t{1} << 16;

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
}

}  // namespace

PieceEdges::PieceEdges(const CutOptions& options)
    : split_ns_(options.split_ns),
      split_bytes_(options.split_bytes),
      block_bytes_(std::min(options.split_bytes / kBlocks, kMaxBlockBytes)),
      window_(options.range) {}

PieceSpan PieceEdges::begin(std::uint64_t time) {
  PieceSpan piece;
  if (!has_begun_) {
    has_begun_ = true;
    piece.start = time;
    grid_ = piece.start;
  } else {
    piece.start = next_;
  }
  time_edge_ = kNever;
  if (split_ns_ != 0) {
    // Skips pieces that have no records.
    const std::uint64_t number = (std::max(time, grid_) - grid_) / split_ns_;
    piece.start = std::max(piece.start, grid_ + number * split_ns_);
    time_edge_ = sum(grid_ + number * split_ns_, split_ns_);
  }
  set_last(piece, std::max(time, piece.start));
  return piece;
}

// Makes each piece large enough for some records. Otherwise, most of the written data would be the state that
// is repeated at the start of each piece.
std::uint64_t PieceEdges::set_head(std::uint64_t bytes, std::uint64_t end_bytes) {
  known_bytes_ = bytes;
  const std::uint64_t least = sum(bytes, bytes / 4) + end_bytes;
  piece_bytes_ = std::max(split_bytes_, least);
  return least;
}

void PieceEdges::set_last(PieceSpan& piece, std::uint64_t time) {
  std::uint64_t edge = time_edge_;
  if (split_bytes_ != 0) edge = std::min(edge, std::max(known_until_, sum(time, 1)));
  piece.last = std::min(edge - (edge == kNever ? 0 : 1), window_.to());
  piece.end = piece.last == window_.to() ? window_.to() : edge;
}

bool PieceEdges::is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes, std::uint64_t end_bytes,
                         bool has_contents) {
  if (time >= time_edge_) {
    piece.end = time_edge_;
    piece.last = time_edge_ - 1;
  }
  next_ = piece.end;
  if (piece.end == time_edge_) return true;
  const std::uint64_t grown = bytes - known_bytes_;
  known_bytes_ = bytes;
  // The next block may be as large as this one, and must also fit.
  if (sum(bytes, std::max(grown, block_bytes_)) + end_bytes > piece_bytes_) {
    if (has_contents) return true;
    set_head(bytes, end_bytes);
  }
  set_last(piece, time);
  return false;
}

// ---- A piece ----

namespace {

constexpr std::string_view kCut = "cut";
constexpr std::size_t kMaxKnownText = 1024;  // longer texts of an event are not remembered

WriterOptions options_of(const KnownProviders& providers) {
  WriterOptions options{.provider_name = providers.default_name};
  if (!providers.all.empty()) {
    options.provider_id = providers.all.front().first;
    options.provider_name = providers.all.front().second;
  }
  return options;
}

}  // namespace

Piece::Piece(Output& output, const KnownProviders& providers, CutCounters& counters)
    : writer_(output, options_of(providers)), counters_(&counters) {
  for (const auto& [id, name] : providers.all) write(Record(ProviderInfo{.id = id, .name = name}));
  if (providers.ids.contains(providers.current)) write(Record(ProviderSection{.id = providers.current}));
}

const std::optional<PreparedEvent>& Piece::known_event(const Event& event) {
  const std::uint64_t key = (std::uint64_t{event.category.index} << 16) | event.name.index;
  // Multiplying by 2^64 / golden ratio gives neighboring keys very different top bits.
  constexpr unsigned kShift = 64 - 12;
  KnownEvent& known = known_events_[(key * 0x9e37'79b9'7f4a'7c15u) >> kShift];
  if (known.name != event.name.text || known.category != event.category.text) {
    known.category = event.category.text;
    known.name = event.name.text;
    known.event = writer_.prepare(event.category.text, event.name.text);
  }
  return known.event;
}

const std::optional<ThreadIndex>& Piece::known_thread(const Thread& thread) {
  KnownThread& known = known_threads_[thread.index];
  if (!known.index || known.thread != thread) {
    known.thread = thread;
    known.index = writer_.thread_index(thread.process, thread.thread);
  }
  return known.index;
}

bool Piece::write_short(const Event& event) {
  const bool is_plain = event.type == EventType::Instant || is_duration(event.type);
  const auto is_indexed = [](const auto& part) { return part.storage == Storage::Table && part.index != 0; };
  if (!is_plain || !event.arguments.empty() || !is_indexed(event.category) || !is_indexed(event.name) ||
      !is_indexed(event.thread) || event.scope || ends_before_it_begins(event) ||
      event.category.text.size() + event.name.text.size() > kMaxKnownText)
    return false;
  try {
    const std::optional<PreparedEvent>& known = known_event(event);
    const std::optional<ThreadIndex>& thread = known_thread(event.thread);
    if (!known || !thread) return false;
    switch (event.type) {
      case EventType::DurationComplete:
        writer_.write_complete(*known, *thread, event.time, event.end);
        break;
      case EventType::DurationBegin:
        writer_.write_begin(*known, *thread, event.time);
        break;
      case EventType::DurationEnd:
        writer_.write_end(*known, *thread, event.time);
        break;
      default:
        writer_.write_instant(*known, *thread, event.time);
    }
  } catch (const WriterError&) {
    ++counters_->unwritable;
  }
  return true;
}

bool Piece::has_room_for_cut(const Arguments& own, const Arguments& of_begin) {
  const auto is_it = [](const Argument& argument) { return argument.name.text == kCut; };
  return own.size() < kMaxArguments && std::ranges::none_of(own, is_it) &&
         std::ranges::none_of(of_begin, is_it);
}

const Event& Piece::with_cut(const Event& event, Cut cut, const Arguments& of_begin) {
  with_cut_ = event;
  if (cut == Cut::No || !has_room_for_cut(event.arguments, of_begin)) return with_cut_;
  arguments_.assign(event.arguments.begin(), event.arguments.end());
  arguments_.push_back({kCut, String(cut == Cut::Begin ? "begin" : cut == Cut::End ? "end" : "both")});
  with_cut_.arguments = Arguments(arguments_);
  return with_cut_;
}

}  // namespace fxt
