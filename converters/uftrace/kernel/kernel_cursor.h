// Reads one kernel-cpu<N>.dat forward, event by event: the one place that knows the kernel's ring buffer. A
// page that is damaged costs itself only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "converters/model/notes.h"
#include "converters/model/reading/input_file.h"
#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/ring_page.h"
#include "converters/uftrace/recording/directory.h"

namespace convert::uftrace {

// What stands in a page, or before it.
struct KernelEvent {
  enum class Kind : std::uint8_t { Data, Lost };
  Kind kind = Kind::Data;
  std::uint64_t order_ns = 0;               // never back in a file
  std::span<const std::byte> payload = {};  // of Data; valid until the next event
  std::uint64_t lost = 0;  // of Lost: how many events are missing; 0 if the kernel can't tell
};

// How all files of a recording are read.
struct KernelReading {
  PageLayout pages = {};
  std::size_t block_bytes = std::size_t{256} << 10;
  bool keep_open = true;   // see InputFile
  Notes* notes = nullptr;  // none: what is wrong with the file is said by another reader
};

class KernelCursor {
 public:
  using Reading = KernelReading;

  // Throws InputError if the file can't be opened.
  KernelCursor(const CpuFile& file, const KernelReading& reading);

  // Goes to the next event. False at the end of the file; so is a file that can't be read on.
  bool next();
  const KernelEvent& event() const { return event_; }  // of the last next()

  std::uint32_t cpu() const { return cpu_; }
  std::uint64_t offset() const { return file_.offset(); }  // bytes read so far
  std::uint64_t size() const { return file_.size(); }
  std::uint64_t pages() const { return pages_; }  // read so far, damaged ones included

 private:
  struct PageHead {
    std::uint64_t time_ns;
    std::uint64_t commit;
  };

  bool open_page();
  bool next_in_page();
  bool take_event(std::size_t length);
  bool has_come(std::uint64_t time_ns);
  bool damaged_event();
  void close_page();
  PageHead head_of(std::span<const std::byte> page) const;
  bool has_good_time(std::uint64_t time_ns, std::span<const std::byte> behind) const;
  std::uint64_t limit_of(std::uint64_t time_ns, std::span<const std::byte> behind) const;
  std::optional<std::uint64_t> lost_before(const PageHead& head, std::span<const std::byte> page) const;
  void leave_page(const NoteKind& kind, std::size_t from, std::string_view problem);
  template <typename Describe>
  void note(const NoteKind& kind, std::uint64_t count, Describe&& describe);

  std::uint32_t cpu_;
  FileWindow file_;
  KernelReading reading_;
  std::span<const std::byte> page_;  // up to the end of its events; empty between pages
  std::size_t page_bytes_ = 0;       // of it, in the file
  std::size_t at_ = 0;               // in the page
  std::size_t start_ = 0;            // of the event at hand, in the page
  std::uint64_t time_ns_ = 0;        // of the latest event, as the page tells
  std::uint64_t limit_ns_ = 0;       // no event of the page is later
  std::uint64_t last_ns_ = 0;        // of the file
  std::uint64_t pages_ = 0;
  std::optional<std::uint64_t> lost_ = {};  // before the page, not told yet
  KernelEvent event_;
};

}  // namespace convert::uftrace
