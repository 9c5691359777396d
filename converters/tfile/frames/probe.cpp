#include "converters/tfile/frames/probe.h"

#include <algorithm>
#include <map>

#include "converters/tfile/description/default_layouts.h"
#include "converters/tfile/frames/frame_reader.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kProbedFrames = 200;

ProbeScore probe_format(FileWindow& file, const Description& description, const FrameFormat& format) {
  ProbeScore score{.format = format};
  const KnownTracepoints known(description.locations);
  std::uint64_t offset = description.frames_begin;
  for (std::size_t i = 0; i < kProbedFrames; ++i) {
    const auto head = file.at(offset, kFrameHeaderBytes);
    score.is_clean = true;
    if (head.size() < kFrameHeaderBytes || (head[0] == std::byte{} && head[1] == std::byte{})) break;
    score.is_clean = false;
    const FrameHeader header = frame_header(head, format.order);
    if (!known.contains(header.tracepoint) || header.size > FrameReader::kMaxFrameBytes) break;
    const auto all = file.at(offset, kFrameHeaderBytes + header.size);
    if (all.size() < kFrameHeaderBytes + header.size) break;
    if (walk_blocks(all.subspan(kFrameHeaderBytes, header.size), format, nullptr) == header.size)
      ++score.frames;
    offset += kFrameHeaderBytes + header.size;
  }
  return score;
}

}  // namespace

std::vector<ProbeScore> probe_formats(FileWindow& file, const Description& description,
                                      std::span<const std::uint64_t> sizes, std::endian preferred) {
  const std::endian other = preferred == std::endian::little ? std::endian::big : std::endian::little;
  std::vector<ProbeScore> scores;
  for (const std::uint64_t size : sizes)
    for (const std::endian order : {preferred, other})
      scores.push_back(probe_format(file, description, {.order = order, .register_block_size = size}));
  std::ranges::stable_sort(scores, std::greater{}, &ProbeScore::frames);
  return scores;
}

const RegisterLayout* probe_layout(FileWindow& file, const Description& description,
                                   const FrameFormat& format) {
  std::multimap<std::uint64_t, std::uint64_t> addresses;
  for (const TracepointLocation& location : description.locations)
    addresses.emplace(location.number, location.address);

  const auto layouts = default_layouts();
  std::vector<std::size_t> matches(layouts.size());
  FrameReader reader(file, description, format);
  for (std::size_t i = 0; i < kProbedFrames; ++i) {
    const Frame* frame = reader.next();
    if (frame == nullptr) break;
    const auto block = std::ranges::find(frame->blocks, Block::Kind::Registers, &Block::kind);
    if (block == frame->blocks.end()) continue;
    const auto [from, to] = addresses.equal_range(static_cast<std::uint16_t>(frame->tracepoint));
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      const auto pc = pc_of(layouts[l], block->bytes, format.order);
      if (pc && std::any_of(from, to, [&](const auto& entry) { return entry.second == *pc; })) ++matches[l];
    }
  }
  // Steps are not at the tracepoint, so less than half of the frames may match. A typical size breaks ties.
  const RegisterLayout* best = nullptr;
  std::size_t best_rank = 0;
  for (std::size_t l = 0; l < layouts.size(); ++l) {
    const bool is_typical = is_typical_size(layouts[l], format.register_block_size);
    const std::size_t rank = matches[l] * 2 + (is_typical ? 1 : 0);
    if (matches[l] > 0 && rank > best_rank) {
      best = &layouts[l];
      best_rank = rank;
    }
  }
  return best;
}

}  // namespace convert::tfile
