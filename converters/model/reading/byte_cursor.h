// Reads numbers from bytes, but never beyond their end. Error messages have the path, the position and the
// name of the data.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "converters/model/reading/bits.h"
#include "converters/model/reading/input_error.h"

namespace convert {

class ByteCursor {
 public:
  // `bytes` and `path` must outlive the cursor. `base` is the file offset of the first byte.
  ByteCursor(std::span<const std::byte> bytes, std::string_view path, std::endian order = std::endian::little,
             std::uint64_t base = 0)
      : bytes_(bytes), path_(path), order_(order), base_(base) {}

  std::size_t left() const { return bytes_.size() - at_; }
  bool at_end() const { return left() == 0; }
  std::uint64_t offset() const { return base_ + at_; }
  Location here() const { return Location::byte(path_, offset()); }
  std::endian order() const { return order_; }

  // Throws InputError "<path>:+<offset>: truncated: <what> needs N bytes, but M are left".
  template <std::integral T>
  T read(std::string_view what) {
    return load<T>(read_bytes(sizeof(T), what).data(), order_);
  }

  // Returns the next `size` bytes, which are valid as long as the cursor's bytes. Throws like read().
  std::span<const std::byte> read_bytes(std::size_t size, std::string_view what) {
    if (size > left()) fail_truncated(size, what);
    const auto taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

  // Returns a cursor for only the next `size` bytes. Throws like read().
  ByteCursor slice(std::size_t size, std::string_view what) {
    const auto start = offset();
    return ByteCursor(read_bytes(size, what), path_, order_, start);
  }

 private:
  [[noreturn]] void fail_truncated(std::size_t size, std::string_view what) const {
    throw InputError(here(), "truncated: " + std::string(what) + " needs " + std::to_string(size) +
                                 " bytes, but " + std::to_string(left()) + " are left");
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string_view path_;
  std::endian order_;
  std::uint64_t base_;
};

}  // namespace convert
