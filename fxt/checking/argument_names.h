// The names of the arguments of begins and ends, to tell whether two have one in common: Perfetto puts the
// arguments of both together and keeps one of a name (fxt-notes W25). Internal to the Writer and the Checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fxt/value.h"

namespace fxt {

class ArgumentNames {
 public:
  // The names of one record, as their hashes. Few records have names that no other has.
  using Names = std::vector<std::size_t>;
  static std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

  // An empty list, to be filled; the same memory each time.
  Names& list() {
    list_.clear();
    return list_;
  }
  // A number for these names, the same for the same ones in this order; 0 for none.
  std::uint32_t number_of(const Names& names);
  std::uint32_t number_of(const Arguments& arguments);
  // Whether one name is among those of both numbers.
  bool share(std::uint32_t a, std::uint32_t b) const;

 private:
  struct Hash {
    std::size_t operator()(const Names& names) const;
  };
  std::unordered_map<Names, std::uint32_t, Hash> numbers_;
  std::vector<const Names*> names_;  // by number, from 1; keys of numbers_
  Names list_;
};

}  // namespace fxt
