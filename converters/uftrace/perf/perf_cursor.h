// Reads one perf-cpu<N>.dat forward, event by event: the one place that knows what a perf record is. Damage
// is skipped up to where records go on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "converters/model/notes.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/perf/perf_event.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// How all files of a recording are read.
struct PerfReading {
  std::endian order = std::endian::little;
  std::size_t block_bytes = std::size_t{64} << 10;
  bool keep_open = true;   // see InputFile
  Notes* notes = nullptr;  // none: what is wrong with the file has been said before
};

class PerfCursor {
 public:
  using Reading = PerfReading;

  // Throws InputError if the file can't be opened.
  PerfCursor(const CpuFile& file, const PerfReading& reading);

  // Goes to the next event. False at the end of the file; so is a file that can't be read on.
  bool next();
  // Of the last next(). Its `order_ns` never goes back.
  const PerfEvent& event() const { return event_; }

  std::uint32_t cpu() const { return cpu_; }
  std::uint64_t offset() const { return file_.offset(); }  // bytes read so far
  std::uint64_t size() const { return file_.size(); }

 private:
  struct Header {
    PerfType type;
    std::uint16_t misc;
    std::uint16_t size;
  };
  enum class Taken : std::uint8_t { Event, Nothing, End };

  Taken take_record();
  Taken take_truncated(std::size_t size);
  std::optional<Header> header_here();
  bool is_confirmed(std::uint64_t time_ns, const Header& header);
  bool something_is_behind(const Header& header);
  bool has_good_time(const Header& header);
  void decode(const Header& header, std::span<const std::byte> record);
  void skip_damage();
  bool goes_on_here();

  static bool is_plausible(const Header& header);
  static bool is_of_use(const Header& header);
  Header header_at(const std::byte* at) const;
  std::uint64_t time_of(const Header& header, std::span<const std::byte> record) const;
  template <typename T>
  T load(const std::byte* at) const;
  template <typename Describe>
  void note(const NoteKind& kind, std::uint64_t count, Describe&& describe);

  std::uint32_t cpu_;
  FileWindow file_;
  PerfReading reading_;
  std::uint64_t last_ns_ = 0;
  PerfEvent event_;
};

}  // namespace convert::uftrace
