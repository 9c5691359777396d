// Builds a file perf-cpu<N>.dat, record by record.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/number_bytes.h"

namespace convert::uftrace {

class PerfBytes {
 public:
  explicit PerfBytes(std::endian order = std::endian::little) : order_(order) {}

  PerfBytes& in(std::uint64_t time_ns, std::uint32_t tid) { return header(14, 0, 24).id(tid, time_ns); }
  PerfBytes& out(std::uint64_t time_ns, std::uint32_t tid) { return header(14, 0x2000, 24).id(tid, time_ns); }
  PerfBytes& preempted(std::uint64_t time_ns, std::uint32_t tid) {
    return header(14, 0x6000, 24).id(tid, time_ns);
  }
  // The parent writes this record, so the parent's id is at the end of the record.
  PerfBytes& fork(std::uint64_t time_ns, std::uint32_t child, std::uint32_t parent) {
    return header(7, 0, 48).task(child, parent, time_ns).id(parent, time_ns);
  }
  PerfBytes& exit(std::uint64_t time_ns, std::uint32_t tid) {
    return header(4, 0, 48).task(tid, 1, time_ns).id(tid, time_ns);
  }
  PerfBytes& comm(std::uint64_t time_ns, std::uint32_t tid, std::string_view name) {
    return named(0, time_ns, tid, name);
  }
  PerfBytes& exec(std::uint64_t time_ns, std::uint32_t tid, std::string_view name) {
    return named(0x2000, time_ns, tid, name);
  }
  PerfBytes& named(std::uint16_t misc, std::uint64_t time_ns, std::uint32_t tid, std::string_view name) {
    std::string padded(name);
    padded.resize((name.size() / 8 + 1) * 8, '\0');
    return header(3, misc, static_cast<std::uint16_t>(32 + padded.size()))
        .put(tid)
        .put(tid)
        .bytes(padded)
        .id(tid, time_ns);
  }
  PerfBytes& lost(std::uint64_t time_ns, std::uint64_t count) {
    return header(2, 0, 40).put(std::uint64_t{7}).put(count).id(0, time_ns);
  }
  // Adds a record of an unused type with `size` bytes after the header.
  PerfBytes& other(std::uint32_t type, std::uint16_t size) {
    return header(type, 0, static_cast<std::uint16_t>(8 + size)).bytes(std::string(size, '\x11'));
  }
  PerfBytes& bytes(std::string_view bytes) {
    text_ += bytes;
    return *this;
  }
  PerfBytes& header(std::uint32_t type, std::uint16_t misc, std::uint16_t size) {
    return put(type).put(misc).put(size);
  }

  const std::string& text() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  template <typename T>
  PerfBytes& put(T value) {
    text_ += number_bytes(value, order_);
    return *this;
  }
  PerfBytes& task(std::uint32_t tid, std::uint32_t parent, std::uint64_t time_ns) {
    return put(tid).put(parent).put(tid).put(parent).put(time_ns);
  }
  PerfBytes& id(std::uint32_t tid, std::uint64_t time_ns) { return put(tid).put(tid).put(time_ns); }

  std::endian order_;
  std::string text_;
};

}  // namespace convert::uftrace
