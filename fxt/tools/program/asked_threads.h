// Threads that a user names: a trace that has none of them is not the one that was meant.
#pragma once

#include <cstdint>
#include <vector>

#include "fxt/records.h"

namespace fxt::tools {

class AskedThreads {
 public:
  // No koid: all threads are meant.
  explicit AskedThreads(const std::vector<std::uint64_t>& koids)
      : koids_(koids), is_one_there_(koids.empty()) {}

  // To be told each record.
  void see(const Record& record) {
    if (!is_one_there_) look_into(record);
  }
  bool is_one_there() const { return is_one_there_; }
  const std::vector<std::uint64_t>& koids() const { return koids_; }

 private:
  void look_into(const Record& record);

  std::vector<std::uint64_t> koids_;
  bool is_one_there_;
};

}  // namespace fxt::tools
