// Reads one perf-cpu<N>.dat forward, event by event. Decodes the records of the kernel's perf ring buffer
// (perf_event_open(2), MMAP layout). After damage, continues at the next plausible record.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/bits.h"
#include "converters/uftrace/cpus/cpu_files.h"
#include "converters/uftrace/recording/reused_ids.h"

namespace convert::uftrace {

struct PerfEvent {
  enum class Kind : std::uint8_t { SwitchIn, SwitchOut, Preempted, Fork, Exit, Comm, Exec, Lost };
  Kind kind = Kind::Lost;
  std::uint64_t time_ns = 0;
  std::uint64_t order_ns = 0;  // time of writing, which never decreases in a file; close to `time_ns`
  ThreadId tid{};              // the thread; for Fork: the new thread; for Exit: the exiting thread
  ThreadId parent{};           // for Fork: the thread that forked
  std::uint64_t lost = 0;      // for Lost: number of records for which the kernel had no space
  std::string_view comm = {};  // for Comm and Exec: the thread's new name; valid until the next event

  bool is_switch_out() const { return kind == Kind::SwitchOut || kind == Kind::Preempted; }
  bool is_switch() const { return kind == Kind::SwitchIn || is_switch_out(); }
};

// The data of a PerfEvent that are passed to its thread.
struct PerfMessage {
  std::uint64_t time_ns;
  std::uint16_t cpu;
  PerfEvent::Kind kind;
  NameId name = {};  // for Comm: the thread's new name
};

using PerfQueue = MessageQueue<PerfMessage>;

// The settings for reading all files of a recording.
struct PerfReading {
  std::endian order = std::endian::little;
  Notes* notes = nullptr;             // null if an earlier pass has added the notes
  const ReusedIds* reused = nullptr;  // null if threads keep the kernel's ids
};

class PerfCursor : public CpuFileCursor {
 public:
  using Reading = PerfReading;
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

  // Throws InputError if the file can't be opened.
  PerfCursor(const CpuFile& file, const PerfReading& reading, std::size_t block_bytes = kBlockBytes)
      : CpuFileCursor(file, reading.notes, block_bytes), order_(reading.order), reused_(reading.reused) {}

  // Goes to the next event. Returns false at the end of the file, or if the file can't be read further.
  bool next();
  const PerfEvent& event() const { return event_; }  // valid after next()

 private:
  // perf_event_header: u32 type, u16 misc, u16 size; the size includes the header.
  struct Header {
    std::uint32_t type;
    std::uint16_t misc;
    std::uint16_t size;
  };
  enum class Step : std::uint8_t { Event, Skipped, End };

  Step read_record();
  Step end_truncated(std::size_t record_size);
  void decode(const Header& header, std::span<const std::byte> record);
  Header header_at(const std::byte* at) const;
  std::optional<Header> plausible_header();
  std::uint64_t time_of(const Header& header, std::span<const std::byte> record) const;
  bool has_plausible_time(const Header& header);
  bool is_confirmed(std::uint64_t time_ns, const Header& header);
  bool is_followed(const Header& header);
  void skip_damage();
  bool resumes_here();

  static bool is_plausible(const Header& header);
  template <typename T>
  T load(const std::byte* at) const {
    return convert::load<T>(at, order_);
  }

  std::endian order_;
  const ReusedIds* reused_;
  std::uint64_t last_ns_ = 0;
  PerfEvent event_;
};

}  // namespace convert::uftrace
