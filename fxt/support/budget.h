// Limits the memory and the work that one file may cause. A few bytes can request much of both, for example
// as two counts that are multiplied, or as compressed data. A Budget is the amount that one file may use. It
// grows with the size of the file. SECURITY.md lists all limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace fxt {

inline constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

struct Limit {
  // what is limited, such as "steps of bytecode"; begins with "MiB" if the limit is in bytes
  std::string_view thing;
  std::uint64_t least;         // the limit for small files
  std::uint64_t per_kilobyte;  // the limit per 1024 bytes of a large file

  constexpr std::uint64_t of(std::uint64_t file_bytes) const {
    return std::max(least, file_bytes / 1024 * per_kilobyte);
  }
  // The message for a file that exceeds the limit, for example "more than 64 MiB of unpacked sections".
  std::string exceeded(std::uint64_t file_bytes = 0) const {
    const std::uint64_t limit = thing.starts_with("MiB") ? of(file_bytes) >> 20 : of(file_bytes);
    return fmt::format("more than {} {}", limit, thing);
  }
};

class Budget {
 public:
  explicit Budget(const Limit& limit, std::uint64_t file_bytes = 0)
      : limit_(&limit), file_bytes_(file_bytes), left_(limit.of(file_bytes)) {}

  // Returns false if less than the amount is left. Then the budget is exceeded, and all later calls fail as
  // well.
  bool take(std::uint64_t amount = 1) {
    if (amount > left_ || is_exceeded_) {
      is_exceeded_ = true;
      return false;
    }
    left_ -= amount;
    return true;
  }
  bool is_exceeded() const { return is_exceeded_; }
  std::string exceeded() const { return limit_->exceeded(file_bytes_); }

 private:
  const Limit* limit_;
  std::uint64_t file_bytes_;
  std::uint64_t left_;
  bool is_exceeded_ = false;
};

}  // namespace fxt
