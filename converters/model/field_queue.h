// The fields of filled-in forms, in the order in which they are said and written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convert {

class FieldQueue {
 public:
  // Positions count all fields ever added.
  std::uint64_t end() const { return gone_ + fields_.size(); }

  // Room for `count` more fields, to be filled in before the next call.
  std::uint64_t* add(std::size_t count) {
    fields_.resize(fields_.size() + count);
    return fields_.data() + fields_.size() - count;
  }
  // Valid until the next add() or drop_until().
  const std::uint64_t* at(std::uint64_t position) const { return fields_.data() + (position - gone_); }

  // Forgets what lies before `position`, which must not go back.
  void drop_until(std::uint64_t position) {
    written_ = position - gone_;
    if (written_ == fields_.size()) {
      fields_.clear();
    } else if (written_ >= kMinMoved && written_ > fields_.size() / 2) {
      fields_.erase(fields_.begin(), fields_.begin() + static_cast<std::ptrdiff_t>(written_));
    } else {
      return;
    }
    gone_ = position;
    written_ = 0;
  }

  std::size_t waiting_bytes() const { return (fields_.size() - written_) * sizeof(std::uint64_t); }

 private:
  static constexpr std::size_t kMinMoved = 4096;  // fields; more are left behind than have to be moved

  std::vector<std::uint64_t> fields_;
  std::size_t written_ = 0;  // of them
  std::uint64_t gone_ = 0;
};

}  // namespace convert
