// Builds the bytes of a record file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "converters/uftrace/records/thread_facts.h"
#include "tests/number_bytes.h"

namespace convert::uftrace {

// The addresses of two functions.
inline constexpr std::uint64_t kF = 0x401100, kG = 0x401200;

// Builds a little-endian record file. A record has 16 bytes, and may have a payload after them.
class RecordBytes {
 public:
  RecordBytes& word(std::uint64_t word) {
    text_ += number_bytes(word);
    return *this;
  }
  RecordBytes& entry(std::uint64_t time, std::uint64_t depth, std::uint64_t address,
                     std::size_t payload = 0) {
    return word(time).word(0x28 + (payload != 0 ? 4 : 0) + depth * 64 + address * 65536).text(payload);
  }
  RecordBytes& exit(std::uint64_t time, std::uint64_t depth, std::uint64_t address, std::size_t payload = 0) {
    return word(time).word(0x29 + (payload != 0 ? 4 : 0) + depth * 64 + address * 65536).text(payload);
  }
  RecordBytes& lost(std::uint64_t count) { return word(0).word(0x2a + count * 65536); }
  RecordBytes& event(std::uint64_t time, std::uint64_t id) { return word(time).word(0x2b + id * 65536); }
  RecordBytes& event_with(std::uint64_t time, std::uint64_t id, std::uint64_t data) {
    return word(time).word(0x2f + id * 65536).word(data);
  }
  RecordBytes& text(std::size_t size) {
    text_ += std::string(size, '\x5d');
    return *this;
  }
  RecordBytes& zeros(std::size_t size) {
    text_ += std::string(size, '\0');
    return *this;
  }
  const std::string& whole() const { return text_; }

 private:
  std::string text_;
};

// Only these addresses contain code.
struct CodeAt : CodeAddresses {
  explicit CodeAt(std::set<std::uint64_t> functions = {}) : addresses(std::move(functions)) {}
  bool contains(std::uint64_t address) const override { return addresses.contains(address); }
  std::set<std::uint64_t> addresses;
};

}  // namespace convert::uftrace
