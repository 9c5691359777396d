#include "converters/tfile/frames/trace_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/reading/stored_bytes.h"
#include "converters/model/reading/text.h"
#include "converters/tfile/description/note_kinds.h"
#include "converters/tfile/frames/frame_reader.h"
#include "fxt/support/memory_limit.h"

namespace convert::tfile {
namespace {

// A limit: descriptions have about ten thousand bytes. A much longer text is not a description.
constexpr std::uint64_t kMaxDescriptionBytes = std::uint64_t{64} << 20;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_magic(FileWindow& file) {
  const std::string_view magic = as_text(file.at(0, kMagic.size())).substr(0, kMagic.size());
  if (magic == kMagic) return;
  if (magic.starts_with(kMagic.substr(0, 6)) && magic.size() == kMagic.size())
    throw InputError(Location::byte(file.path(), 6),
                     fmt::format("trace file version '{}', expected '0'", magic.substr(6, 1)));
  throw InputError(Location::file(file.path()), "not a GDB trace file");
}

void read_description(FileWindow& file, Description& description, Notes& notes) {
  DescriptionReader reader(description, notes, file.path(), file.size());
  std::uint64_t offset = kMagic.size();
  std::size_t line_bytes = 4096;  // grows with the longest line
  for (;;) {
    fxt::check_memory();
    if (offset + line_bytes > kMaxDescriptionBytes)
      throw InputError(Location::byte(file.path(), offset),
                       "the empty line that ends the description is missing");
    const std::string_view text = as_text(file.at(offset, line_bytes));
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && offset + text.size() < file.size()) {
      line_bytes += text.size();
      continue;
    }
    if (end == std::string_view::npos) {
      if (!text.empty()) reader.read_line(text);
      offset += text.size();
      notes.add(kTruncatedTail, Location::byte(file.path(), offset), "the file ends inside the description");
      break;
    }
    offset += end + 1;
    if (!reader.read_line(text.substr(0, end))) break;
  }
  reader.finish();
  description.frames_begin = offset;
}

void read_registers(TraceFile& trace, Notes& notes) {
  if (trace.description.target_xml.empty()) return;
  try {
    TargetDescription target = read_target_description(trace.description.target_xml);
    trace.architecture = std::move(target.architecture);
    trace.os_abi = std::move(target.os_abi);
    trace.layout = std::move(target.layout);
    for (const std::string& problem : target.problems)
      notes.add(kBadTargetDescription, Location::file(trace.path), problem);
  } catch (const std::runtime_error& error) {
    notes.add(kBadTargetDescription, Location::file(trace.path), error.what());
  }
}

constexpr std::size_t kProbedFrames = 200;

std::size_t readable_frames(FileWindow& file, const Description& description, const FrameFormat& format) {
  std::size_t frames = 0;
  const KnownTracepoints known(description.locations);
  std::uint64_t offset = description.frames_begin;
  for (std::size_t i = 0; i < kProbedFrames; ++i) {
    const auto head = file.at(offset, kFrameHeaderBytes);
    if (head.size() < kFrameHeaderBytes || (head[0] == std::byte{} && head[1] == std::byte{})) break;
    const FrameHeader header = frame_header(head, format.order);
    if (!known.contains(header.tracepoint) || header.size > FrameReader::kMaxFrameBytes) break;
    const auto all = file.at(offset, kFrameHeaderBytes + header.size);
    if (all.size() < kFrameHeaderBytes + header.size) break;
    if (walk_blocks(all.subspan(kFrameHeaderBytes, header.size), format, nullptr) == header.size) ++frames;
    offset += kFrameHeaderBytes + header.size;
  }
  return frames;
}

// Reads the pc of the first frames with each default layout, and counts the frames in which the pc is an
// address of the frame's tracepoint. Returns the layout with the highest count, or null if all counts are 0.
const RegisterLayout* probe_layout(FileWindow& file, const Description& description,
                                   const FrameFormat& format) {
  // pairs of a tracepoint's number and an address
  std::set<std::pair<std::uint64_t, std::uint64_t>> addresses;
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
    const auto number = static_cast<std::uint16_t>(frame->tracepoint);
    for (std::size_t l = 0; l < layouts.size(); ++l) {
      const auto pc = pc_of(layouts[l], block->bytes, format.order);
      if (pc && addresses.contains({number, *pc})) ++matches[l];
    }
  }
  // A layout may be right even if fewer than half of the frames match, because the frames of steps have other
  // addresses. If several layouts match equally often, a layout for which the block size is typical is
  // preferred.
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

// The sizes that a register block may have, in bytes. The R line is hexadecimal, but GDB's manual says that
// it is decimal. The line may also be missing. Therefore, both meanings and the size of the layout are tried.
std::vector<std::uint64_t> possible_block_sizes(const TraceFile& trace) {
  std::vector<std::uint64_t> sizes{trace.description.register_block_size};
  if (const auto decimal = whole_number(trace.description.register_digits)) sizes.push_back(*decimal);
  if (trace.layout) sizes.push_back(trace.layout->size());
  return sizes;
}

// A format is a size of register blocks with a byte order. Chooses the format with which most of the first
// frames are readable. If several are equally good, chooses the first size, and for this size the preferred
// byte order.
void find_format(TraceFile& trace, const MachineHint& hint, Notes& notes) {
  std::optional<std::endian> named = hint.order;
  if (!named && trace.layout) named = trace.layout->byte_order();
  if (!named && !trace.architecture.empty()) named = RegisterLayout(trace.architecture, {}).byte_order();
  const std::endian preferred = named.value_or(std::endian::little);
  const std::endian other = preferred == std::endian::little ? std::endian::big : std::endian::little;
  trace.format = {.order = preferred, .register_block_size = trace.description.register_block_size};
  std::size_t most_frames = 0;
  for (const std::uint64_t size : possible_block_sizes(trace))
    for (const std::endian order : {preferred, other}) {
      const FrameFormat format{.order = order, .register_block_size = size};
      const std::size_t frames = readable_frames(*trace.file, trace.description, format);
      if (frames <= most_frames) continue;
      most_frames = frames;
      trace.format = format;
    }

  if (trace.format.register_block_size != trace.description.register_block_size)
    notes.add(kRegisterLayout, Location::file(trace.path),
              fmt::format("the R line has '{}' (hexadecimal), but register blocks have {} bytes",
                          trace.description.register_digits, trace.format.register_block_size));
  if (named && trace.format.order != *named)
    notes.add(kByteOrder, Location::file(trace.path),
              fmt::format("the frames are {}-endian, unlike the architecture",
                          trace.format.order == std::endian::little ? "little" : "big"));
}

bool has_registers(const TraceFile& trace) {
  FrameReader reader(*trace.file, trace.description, trace.format);
  for (std::size_t i = 0; i < kProbedFrames; ++i) {
    const Frame* const frame = reader.next();
    if (frame == nullptr) return false;
    if (std::ranges::find(frame->blocks, Block::Kind::Registers, &Block::kind) != frame->blocks.end())
      return true;
  }
  return false;
}

void find_layout(TraceFile& trace, const MachineHint& hint, Notes& notes) {
  if (trace.layout) return;
  if (trace.architecture.empty()) trace.architecture = hint.architecture;
  const RegisterLayout* layout = trace.architecture.empty()
                                     ? probe_layout(*trace.file, trace.description, trace.format)
                                     : default_layout(trace.architecture);
  if (layout == nullptr) {
    if (has_registers(trace))
      notes.add(
          kRegistersUnknown, Location::file(trace.path),
          fmt::format("a register block of {} bytes is shown only as a blob; use --program with the traced "
                      "program, whose ELF header gives the processor",
                      trace.format.register_block_size));
    return;
  }
  trace.layout_is_guessed = trace.architecture.empty();
  if (trace.layout_is_guessed)
    notes.add(
        kRegisterLayout, Location::file(trace.path),
        fmt::format("no target description, so the registers of {} are assumed", layout->architecture()));
  trace.architecture = layout->architecture();
  trace.layout = *layout;
}

}  // namespace

TraceFile open_trace_file(const std::filesystem::path& path, const MachineHint& hint, Notes& notes) {
  TraceFile trace;
  trace.path = path.string();
  const InputFile checked{fxt::FilePlace(path)};
  check_holes(checked, checked.size());
  trace.file = std::make_unique<FileWindow>(fxt::FilePlace(trace.path), FileWindow::EarlyEnd::End);
  check_magic(*trace.file);
  read_description(*trace.file, trace.description, notes);
  read_registers(trace, notes);
  find_format(trace, hint, notes);
  find_layout(trace, hint, notes);
  trace.format.address_mask = address_mask(trace.register_layout());
  return trace;
}

}  // namespace convert::tfile
