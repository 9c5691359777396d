#include "fxt/cutting/piece.h"

#include <algorithm>

namespace fxt {
namespace {

// The size is checked about this often in each piece.
constexpr std::uint64_t kLooks = 64;

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
}

}  // namespace

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
    // Pieces in which nothing happens are none.
    const std::uint64_t number = (std::max(time, grid_) - grid_) / split_ns_;
    piece.start = std::max(piece.start, grid_ + number * split_ns_);
    time_edge_ = sum(grid_ + number * split_ns_, split_ns_);
  }
  set_last(piece, std::max(time, piece.start));
  return piece;
}

void PieceEdges::set_head(std::uint64_t bytes) {
  step_bytes_ = bytes;
  piece_bytes_ = std::max(split_bytes_, sum(bytes, bytes));
}

void PieceEdges::set_last(PieceSpan& piece, std::uint64_t time) {
  std::uint64_t edge = time_edge_;
  if (split_bytes_ != 0) edge = std::min(edge, sum(time, step_ns_));
  piece.last = std::min(edge - (edge == kNever ? 0 : 1), window_.to());
  piece.end = piece.last == window_.to() ? window_.to() : edge;
}

bool PieceEdges::is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes) {
  if (time >= time_edge_) {
    piece.end = time_edge_;
    piece.last = time_edge_ - 1;
  }
  next_ = piece.end;
  if (piece.end == time_edge_) return true;
  const std::uint64_t grown = bytes - step_bytes_, usual = piece_bytes_ / kLooks;
  step_bytes_ = bytes;
  // Another step may be as large, and what is open must be ended.
  if (sum(bytes, 2 * grown) >= piece_bytes_) return true;
  if (grown > 2 * usual) step_ns_ = std::max<std::uint64_t>(step_ns_ / 2, 1);
  if (grown < usual / 2) step_ns_ = std::min(2 * step_ns_, kNever / 4);
  set_last(piece, time);
  return false;
}

// ---- A piece ----

namespace {

constexpr std::string_view kCut = "cut";

WriterOptions options_of(const KnownProviders& providers, const std::string& default_name) {
  // Records of the trace are copied even if some reader can't read them.
  WriterOptions options{.provider_name = default_name,
                        .userspace_objects = true,
                        .blob_arguments = true,
                        .oversized_records = true,
                        .large_blobs_without_metadata = true,
                        .frame_marks = true,
                        .unnamed_threads = true,
                        .perfetto_pieces = true,
                        .long_spans = true,
                        .trust_nesting = true};
  if (!providers.all.empty() && providers.all.front().first != 0) {
    options.provider_id = providers.all.front().first;
    options.provider_name = providers.all.front().second;
  }
  return options;
}

}  // namespace

Piece::Piece(Output& output, const KnownProviders& providers, const std::string& default_name,
             CutCounters& counters)
    : writer_(output, options_of(providers, default_name)), counters_(&counters) {
  for (const auto& [id, name] : providers.all) write(Record(ProviderInfo{.id = id, .name = name}));
  if (!providers.all.empty()) write(Record(ProviderSection{.id = providers.current}));
}

const Piece::KnownEvent& Piece::known(const Event& event) {
  const std::uint64_t key = (std::uint64_t{event.category.index} << 32) |
                            (std::uint64_t{event.name.index} << 16) | event.thread.index;
  // The top bits of a multiplication by 2^64 / golden ratio spread neighbours well.
  constexpr unsigned kShift = 64 - 12;
  KnownEvent& known = known_events_[(key * 0x9e37'79b9'7f4a'7c15u) >> kShift];
  if (known.key != key)
    known = {.key = key,
             .event = writer_.prepare(event.category.text, event.name.text),
             .thread = writer_.thread_index(event.thread.process, event.thread.thread)};
  return known;
}

bool Piece::write_short(const Event& event) {
  const bool is_plain = event.type == EventType::Instant || is_duration(event.type);
  const auto is_indexed = [](const auto& part) { return part.storage == Storage::Table && part.index != 0; };
  if (!is_plain || !event.arguments.empty() || !is_indexed(event.category) || !is_indexed(event.name) ||
      !is_indexed(event.thread))
    return false;
  try {
    const KnownEvent& known = this->known(event);
    if (!known.event || !known.thread) return false;
    switch (event.type) {
      case EventType::DurationComplete:
        writer_.write_complete(*known.event, *known.thread, event.time, event.end);
        break;
      case EventType::DurationBegin:
        writer_.write_begin(*known.event, *known.thread, event.time);
        break;
      case EventType::DurationEnd:
        writer_.write_end(*known.event, *known.thread, event.time);
        break;
      default:
        writer_.write_instant(*known.event, *known.thread, event.time);
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

void Piece::write_cut(const Event& event, Cut cut, const Arguments& of_begin) {
  if (cut == Cut::No || !has_room_for_cut(event.arguments, of_begin)) {
    write(event);
    return;
  }
  arguments_.assign(event.arguments.begin(), event.arguments.end());
  arguments_.push_back({kCut, String(cut == Cut::Begin ? "begin" : cut == Cut::End ? "end" : "both")});
  Event said = event;
  said.arguments = Arguments(arguments_);
  write(said);
}

}  // namespace fxt
