// What a Reader must remember of each provider: strings, threads and the tick rate. Internal to the Reader.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fxt {

struct TableString {
  std::string text;
  bool known = false;
  bool valid_utf8 = true;
};

// Strings by index. Indices that are given out in order cost a vector's element; wild ones, a map's.
class StringTable {
 public:
  StringTable() { entry(0) = {.text = {}, .known = true, .valid_utf8 = true}; }  // the empty string
  // Null if the index was never registered.
  const TableString* find(std::uint16_t index) const {
    if (index < dense_.size()) return dense_[index].known ? &dense_[index] : nullptr;
    if (sparse_.empty()) return nullptr;
    const auto entry = sparse_.find(index);
    return entry == sparse_.end() ? nullptr : &entry->second;
  }
  TableString& entry(std::uint16_t index) {
    if (index >= dense_.size() && index < 2 * dense_.size() + 32) grow(index);
    return index < dense_.size() ? dense_[index] : sparse_[index];
  }

 private:
  void grow(std::uint16_t index) {
    dense_.resize(2 * index + std::size_t{2});
    for (auto entry = sparse_.begin(); entry != sparse_.end() && entry->first < dense_.size();
         entry = sparse_.erase(entry))
      dense_[entry->first] = std::move(entry->second);
  }

  std::vector<TableString> dense_;
  std::map<std::uint16_t, TableString> sparse_;
};

struct TableThread {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  bool known = false;
};

struct ProviderContext {
  std::uint32_t id = 0;
  std::string name;
  bool announced = false;  // by a provider info record
  StringTable strings;
  std::vector<TableThread> threads;  // by index
  std::uint64_t ticks_per_second = 1'000'000'000;
};

}  // namespace fxt
