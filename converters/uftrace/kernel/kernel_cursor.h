// Reads one kernel-cpu<N>.dat forward, event by event. Decodes the format of the kernel's ring buffer
// (Documentation/trace/ring-buffer-design.rst in Linux). Damage in a page does not affect other pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "converters/uftrace/cpus/cpu_files.h"
#include "converters/uftrace/kernel/kernel_header.h"

namespace convert::uftrace {

struct KernelEvent {
  enum class Kind : std::uint8_t { Data, Lost };
  Kind kind = Kind::Data;
  std::uint64_t order_ns = 0;               // the maximum of the times of this event and all events before
  std::span<const std::byte> payload = {};  // for Data; valid until the next event
  std::uint64_t lost = 0;                   // for Lost: number of missing events; 0 if unknown
};

// The settings for reading all files of a recording.
struct KernelReading {
  PageLayout pages = {};
  Notes* notes = nullptr;  // null if another reader adds the notes
};

class KernelCursor : public CpuFileCursor {
 public:
  using Reading = KernelReading;
  static constexpr std::size_t kBlockBytes = std::size_t{256} << 10;

  // Throws InputError if the file can't be opened.
  KernelCursor(const CpuFile& file, const KernelReading& reading, std::size_t block_bytes = kBlockBytes)
      : CpuFileCursor(file, reading.notes, block_bytes), layout_(reading.pages) {}

  // Goes to the next event. Returns false at the end of the file, or if the file can't be read further.
  bool next() { return next_in_page() || next_page(); }
  const KernelEvent& event() const { return event_; }  // valid after next()
  std::uint64_t pages() const { return pages_; }  // number of pages that were read, including damaged ones

 private:
  struct PageHead {
    std::uint64_t time_ns;
    std::uint64_t commit;
  };

  bool next_page();
  bool open_page();
  void close_page();
  void drop_page_from(std::size_t offset, const NoteKind& kind, std::string_view problem);
  PageHead head_of(std::span<const std::byte> page) const;
  bool has_plausible_time(std::uint64_t time_ns, std::span<const std::byte> behind) const;
  std::uint64_t limit_of(std::uint64_t time_ns, std::span<const std::byte> behind) const;
  std::optional<std::uint64_t> lost_before(const PageHead& head, std::span<const std::byte> page) const;

  bool next_in_page();
  bool emit_payload(std::size_t length);
  // If the time is impossible, drops the rest of the page and returns false.
  bool set_time(std::uint64_t time_ns) {
    if (time_ns > limit_ns_) return drop_impossible(time_ns);
    time_ns_ = time_ns;
    return true;
  }
  bool drop_impossible(std::uint64_t time_ns);
  bool drop_half_event();

  PageLayout layout_;
  std::span<const std::byte> page_;  // the open page up to the end of its events; empty without an open page
  std::size_t page_bytes_ = 0;
  std::size_t at_ = 0;          // current position in the page
  std::size_t start_ = 0;       // start of the current event in the page
  std::uint64_t time_ns_ = 0;   // time of the latest event: the page's time plus deltas
  std::uint64_t limit_ns_ = 0;  // the latest possible time of events in the page
  std::uint64_t last_ns_ = 0;   // the latest time so far in the file
  std::uint64_t pages_ = 0;
  std::optional<std::uint64_t> lost_ = {};  // events lost before the page; nothing after the Lost event
  KernelEvent event_;
};

}  // namespace convert::uftrace
