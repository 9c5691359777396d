// The state of each provider in a Reader: strings, threads and the tick rate. Internal to the Reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fxt/format.h"

namespace fxt {

// Entries by index, from 1. Entries that are registered in order are in a vector. All other entries are in a
// map. Therefore, memory grows with the number of entries, and not with their indices.
template <typename T>
class IndexTable {
 public:
  // Null if the index was never registered.
  const T* find(std::size_t index) const {
    if (index - 1 < in_order_.size()) return &in_order_[index - 1];
    if (others_ == nullptr) return nullptr;
    const auto entry = others_->find(index);
    return entry == others_->end() ? nullptr : &entry->second;
  }
  // Returns the entry at `index` (not 0), and creates it if necessary. Sets `is_new` to true if it was
  // created, and to false otherwise.
  T& entry(std::size_t index, bool& is_new) {
    is_new = false;
    if (index <= in_order_.size()) return in_order_[index - 1];
    if (index != in_order_.size() + 1) {
      if (others_ == nullptr) others_ = std::make_unique<std::map<std::size_t, T>>();
      const auto [entry, inserted] = others_->try_emplace(index);
      is_new = inserted;
      return entry->second;
    }
    in_order_.emplace_back();
    is_new = true;
    if (others_ != nullptr)
      if (auto waiting = others_->extract(index)) {
        is_new = false;
        in_order_.back() = std::move(waiting.mapped());
      }
    return in_order_.back();
  }

 private:
  std::vector<T> in_order_;  // from index 1, without gaps
  // Null until it is needed, because a trace may have very many tables.
  std::unique_ptr<std::map<std::size_t, T>> others_;
};

struct TableString {
  std::string text;
  bool valid_utf8 = true;
};

struct TableThread {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
};

struct ProviderContext {
  std::uint32_t id = 0;
  std::string name;
  bool announced = false;  // true after a provider info record
  IndexTable<TableString> strings;
  IndexTable<TableThread> threads;
  std::uint64_t ticks_per_second = kTicksPerSecond;
};

// All known providers, and the current one.
class Providers {
 public:
  Providers() : current_(&contexts_[0]) {}
  ProviderContext& current() { return *current_; }
  const ProviderContext& current() const { return *current_; }
  bool knows(std::uint32_t id) const;
  // Makes the provider with this id the current one, and empties its tables. Returns true if the id was
  // announced before.
  bool announce(std::uint32_t id, std::string_view name);
  // Makes a provider the current one. If the provider is unknown, its tables are empty. Returns true if the
  // provider was announced.
  bool enter(std::uint32_t id);

 private:
  std::map<std::uint32_t, ProviderContext> contexts_;
  ProviderContext* current_;
};

inline bool Providers::knows(std::uint32_t id) const {
  const auto context = contexts_.find(id);
  return context != contexts_.end() && context->second.announced;
}

inline bool Providers::announce(std::uint32_t id, std::string_view name) {
  const bool again = knows(id);
  current_ = &contexts_[id];
  *current_ = {};
  current_->id = id;
  current_->name = name;
  current_->announced = true;
  return again;
}

inline bool Providers::enter(std::uint32_t id) {
  current_ = &contexts_[id];
  current_->id = id;
  return current_->announced;
}

}  // namespace fxt
