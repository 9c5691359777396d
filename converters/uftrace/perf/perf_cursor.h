// Reads one perf-cpu<N>.dat forward, event by event: the one place that knows the records of the kernel's
// perf ring buffer (perf_event_open(2), MMAP layout). Damage is skipped up to the next plausible record.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/model/reading/load.h"
#include "converters/uftrace/cpus/cpu_files.h"
#include "converters/uftrace/recording/reused_ids.h"

namespace convert::uftrace {

struct PerfEvent {
  enum class Kind : std::uint8_t { SwitchIn, SwitchOut, Preempted, Fork, Exit, Comm, Exec, Lost };
  Kind kind = Kind::Lost;
  std::uint64_t time_ns = 0;   // when it happened
  std::uint64_t order_ns = 0;  // when it was written: slightly earlier or later, and never back in a file
  ThreadId tid{};              // the thread; of Fork the new one, of Exit the exiting one
  ThreadId parent{};           // of Fork: the thread that forked
  std::uint64_t lost = 0;      // of Lost: how many records the kernel had no room for
  std::string_view comm = {};  // of Comm and Exec: the thread's new name; valid until the next event

  bool is_switch_out() const { return kind == Kind::SwitchOut || kind == Kind::Preempted; }
  bool is_switch() const { return kind == Kind::SwitchIn || is_switch_out(); }
};

// What a thread gets of such an event.
struct PerfMessage {
  std::uint64_t time_ns;
  std::uint16_t cpu;
  PerfEvent::Kind kind;
  NameId name = {};  // of Comm: the thread's new name
};

using PerfQueue = MessageQueue<PerfMessage>;

// How all files of a recording are read.
struct PerfReading {
  std::endian order = std::endian::little;
  Notes* notes = nullptr;             // null: damage was noted by an earlier pass
  const ReusedIds* reused = nullptr;  // threads have our numbers; null: the ids of the kernel
};

class PerfCursor : public CpuFileCursor {
 public:
  using Reading = PerfReading;
  static constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

  // Throws InputError if the file can't be opened.
  PerfCursor(const CpuFile& file, const PerfReading& reading, std::size_t block_bytes = kBlockBytes)
      : CpuFileCursor(file, reading.notes, block_bytes), order_(reading.order), reused_(reading.reused) {}

  // Goes to the next event. False at the end of the file, and where the file can't be read any further.
  bool next();
  const PerfEvent& event() const { return event_; }  // of the last next()

 private:
  // perf_event_header: u32 type, u16 misc, u16 size, which counts the header.
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
