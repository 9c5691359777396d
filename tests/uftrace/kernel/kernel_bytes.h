// Builds the kernel files of a recording: kernel-cpu<N>.dat with pages of events, and kernel_header.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "tests/number_bytes.h"

namespace convert::uftrace {

// Builds a text from the bytes of numbers, all in the same byte order.
class Numbers {
 public:
  explicit Numbers(std::endian order = std::endian::little) : order_(order) {}
  template <typename T>
  Numbers& put(T value) {
    text_ += number_bytes(value, order_);
    return *this;
  }
  Numbers& bytes(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  std::endian order_;
  std::string text_;
};

class KernelBytes {
 public:
  struct Layout {
    std::size_t page_bytes = 256;
    std::size_t long_bytes = 8;
    std::endian order = std::endian::little;
  };
  KernelBytes() = default;
  explicit KernelBytes(const Layout& layout) : layout_(layout) {}

  // Starts a page.
  KernelBytes& page(std::uint64_t time_ns) {
    finish_page();
    is_open_ = true;
    time_ns_ = time_ns;
    return *this;
  }
  // Marks `count` events before this page as lost. A count of 0 means an unknown number.
  KernelBytes& lost(std::uint64_t count) {
    flags_ = count == 0 ? 0x8000'0000 : 0xc000'0000;
    lost_ = count;
    return *this;
  }
  // Adds an event that is `delta` ns after the previous event. The size of the payload must be a
  // multiple of 4 bytes.
  KernelBytes& event(std::uint32_t delta, std::string_view payload) {
    return header(static_cast<std::uint32_t>(payload.size() / 4), delta).bytes(payload);
  }
  KernelBytes& long_event(std::uint32_t delta, std::string_view payload) {
    return header(0, delta).put(static_cast<std::uint32_t>(payload.size() + 4)).bytes(payload);
  }
  // Adds a discarded event that has `bytes_behind` bytes after its header.
  KernelBytes& discarded(std::uint32_t delta, std::uint32_t bytes_behind) {
    return header(29, delta).put(bytes_behind).bytes(std::string(bytes_behind - 4, '\x33'));
  }
  KernelBytes& end_of_page() { return header(29, 0); }
  KernelBytes& extend(std::uint64_t delta) {
    return header(30, static_cast<std::uint32_t>(delta & 0x7ff'ffff))
        .put(static_cast<std::uint32_t>(delta >> 27));
  }
  KernelBytes& stamp(std::uint64_t time_ns) {
    return header(31, static_cast<std::uint32_t>(time_ns & 0x7ff'ffff))
        .put(static_cast<std::uint32_t>(time_ns >> 27));
  }
  KernelBytes& header(std::uint32_t type_len, std::uint32_t delta) {
    const bool is_little = layout_.order == std::endian::little;
    return put(is_little ? delta << 5 | type_len : type_len << 27 | delta);
  }
  template <typename T>
  KernelBytes& put(T value) {
    return bytes(Numbers(layout_.order).put(value).text());
  }
  KernelBytes& bytes(std::string_view bytes) {
    data_ += bytes;
    return *this;
  }

  // Adds an entry with the fields that header_text() describes.
  KernelBytes& entry(std::uint32_t delta, std::int32_t tid, std::uint64_t function, std::int32_t depth) {
    return event(delta, common(11, tid).put(function).put(depth).text());
  }
  KernelBytes& exit(std::uint32_t delta, std::int32_t tid, std::uint64_t function, std::int32_t depth) {
    return event(delta, common(10, tid)
                            .put(function)
                            .put(depth)
                            .put(std::uint32_t{0})
                            .put(std::uint64_t{1})
                            .put(std::uint64_t{2})
                            .text());
  }
  Numbers common(std::uint16_t id, std::int32_t tid) const {
    return Numbers(layout_.order).put(id).put(std::uint16_t{0}).put(tid);
  }

  const std::string& text() {
    finish_page();
    return text_;
  }

 private:
  void finish_page() {
    if (!is_open_) return;
    Numbers page(layout_.order);
    page.put(time_ns_);
    const auto commit = static_cast<std::uint32_t>(data_.size()) | flags_;
    if (layout_.long_bytes == 4)
      page.put(commit);
    else
      page.put(std::uint64_t{commit});
    page.bytes(data_);
    if (lost_ != 0 && layout_.long_bytes == 4) page.put(static_cast<std::uint32_t>(lost_));
    if (lost_ != 0 && layout_.long_bytes == 8) page.put(lost_);
    std::string whole = page.text();
    // In a real file, the rest of a page has bytes of earlier events. Here, these bytes stand for them.
    whole.resize(layout_.page_bytes, '\x55');
    text_ += whole;
    data_.clear();
    flags_ = 0;
    lost_ = 0;
    is_open_ = false;
  }

  Layout layout_;
  bool is_open_ = false;
  std::uint64_t time_ns_ = 0, lost_ = 0;
  std::uint32_t flags_ = 0;
  std::string data_;  // content of the page
  std::string text_;
};

// The pages are large enough for the events of a test. kSyscall and kRead are kernel functions.
inline constexpr KernelBytes::Layout kLayout{.page_bytes = 512};
inline constexpr std::uint64_t kSyscall = 0xffffffff81000010, kRead = 0xffffffff81000110;

inline std::string block(std::string_view name, std::string_view text) {
  return fmt::format("TRACEFS: {}: {}\n{}", name, text.size(), text);
}

inline std::string common_fields(int id) {
  return fmt::format(
      "ID: {}\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
      id);
}

inline std::string field(std::string_view declaration, int offset, int size, bool is_signed = false) {
  return fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:{};\n", declaration, offset, size,
                     is_signed ? 1 : 0);
}

inline std::string entry_format() {
  return block("events/ftrace/funcgraph_entry/format",
               "name: funcgraph_entry\n" + common_fields(11) + field("unsigned long func", 8, 8) +
                   field("int depth", 16, 4, true) +
                   "\nprint fmt: \"--> %ps (%d)\", REC->func, REC->depth\n");
}
inline std::string exit_format() {
  return block("events/ftrace/funcgraph_exit/format",
               "name: funcgraph_exit\n" + common_fields(10) + field("unsigned long func", 8, 8) +
                   field("int depth", 16, 4, true) + field("unsigned int overrun", 20, 4) +
                   field("unsigned long long calltime", 24, 8) + field("unsigned long long rettime", 32, 8) +
                   "\nprint fmt: \"<-- %ps (%d)\", REC->func, REC->depth\n");
}

inline std::string layout_text(const KernelBytes::Layout& layout = {}) {
  return fmt::format("PAGE_SIZE: {}\nLONG_SIZE: {}\nENDIAN: {}\n", layout.page_bytes, layout.long_bytes,
                     layout.order == std::endian::little ? "LE" : "BE");
}
inline std::string header_text(const KernelBytes::Layout& layout = {}) {
  return layout_text(layout) + entry_format() + exit_format();
}

}  // namespace convert::uftrace
