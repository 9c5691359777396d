#include "converters/uftrace/perf/perf_names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "converters/model/byte_cursor.h"
#include "converters/uftrace/note_kinds.h"
#include "converters/uftrace/records/record_file.h"

namespace convert::uftrace {
namespace {

// perf_event_header: u32 type, u16 misc, u16 size, which counts the header.
constexpr std::size_t kHeaderSize = 8;
constexpr std::uint32_t kTypeComm = 3;
// Every record ends with a sample_id: u32 pid, u32 tid, u64 time.
constexpr std::size_t kSampleIdSize = 16;
constexpr std::size_t kIdsSize = 8;  // of a COMM record: u32 pid, u32 tid

constexpr std::size_t kBlock = std::size_t{256} << 10;  // larger than any record (64 KiB)

struct Name {
  std::uint64_t time_ns = 0;
  std::string text;
};
using LatestNames = std::map<ThreadId, Name>;

void read_comm(ByteCursor body, LatestNames& names) {
  body.read<std::uint32_t>("COMM pid");
  const auto tid = static_cast<ThreadId>(body.read<std::uint32_t>("COMM tid"));
  const auto comm = body.take(body.left() - kSampleIdSize, "COMM name");
  body.read<std::uint64_t>("sample pid and tid");
  const auto time_ns = body.read<std::uint64_t>("sample time");
  const auto end = std::ranges::find(comm, std::byte{0});
  std::string text(static_cast<std::size_t>(end - comm.begin()), '\0');
  std::memcpy(text.data(), comm.data(), text.size());
  Name& name = names[tid];
  if (!text.empty() && time_ns >= name.time_ns) name = {time_ns, std::move(text)};
}

// Takes whole records from `bytes`; gives the number of bytes taken, and 0 where the file makes no sense any
// more.
std::size_t read_block(std::span<const std::byte> bytes, const std::string& path, std::uint64_t offset,
                       bool at_end, std::endian order, LatestNames& names, Notes& notes) {
  std::size_t at = 0;
  while (bytes.size() - at >= kHeaderSize) {
    ByteCursor in(bytes.subspan(at), path, order, offset + at);
    const Place place = in.here();
    const auto type = in.read<std::uint32_t>("perf event type");
    in.read<std::uint16_t>("perf event misc");
    const auto size = in.read<std::uint16_t>("perf event size");
    const std::size_t least = kHeaderSize + (type == kTypeComm ? kIdsSize + kSampleIdSize : 0);
    if (size < least || (at_end && size > bytes.size() - at)) {
      notes.add(kDamagedBytes, place, fmt::format("not a perf event: its size is {}", size),
                bytes.size() - at);
      return 0;
    }
    if (size > bytes.size() - at) break;
    if (type == kTypeComm) read_comm(in.slice(size - kHeaderSize, "perf event"), names);
    at += size;
  }
  return at;
}

}  // namespace

std::map<ThreadId, std::string> read_perf_names(const std::vector<CpuFile>& files, std::endian order,
                                                Notes& notes) {
  LatestNames latest;
  std::vector<std::byte> block(kBlock);
  const auto read_file = [&](const RecordFile& file) {
    for (std::uint64_t offset = 0; offset < file.size();) {
      const auto bytes = file.read(offset, block);
      const bool at_end = offset + bytes.size() == file.size();
      const std::size_t taken = read_block(bytes, file.path(), offset, at_end, order, latest, notes);
      if (taken == 0) break;
      offset += taken;
    }
  };
  for (const CpuFile& cpu_file : files) {
    try {
      read_file(RecordFile(cpu_file.path.string(), true));
    } catch (const InputError& unreadable) {
      notes.add(kUnreadableFile, [&] { return std::string(unreadable.what()); });
    }
  }
  std::map<ThreadId, std::string> names;
  for (auto& [tid, name] : latest)
    if (!name.text.empty()) names.emplace(tid, std::move(name.text));
  return names;
}

}  // namespace convert::uftrace
