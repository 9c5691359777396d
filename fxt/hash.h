// Hashes of texts and numbers from files. They differ from run to run. Otherwise, a file could have many keys
// with the same hash, and a hash table would become as slow as a list. Internal to the library and its tools.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <sys/auxv.h>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

#include "fxt/value.h"

namespace fxt {

// Random numbers of this run. The multiplier is odd.
struct HashSeed {
  std::uint64_t start = 0x2545'f491'4f6c'dd1d, multiplier = 0x9e37'79b9'7f4a'7c15;

  static const HashSeed& of_run() {
    static const HashSeed kSeed = [] {
      HashSeed seed;
      // The kernel gives each program 16 random bytes at this address.
      if (const auto address = static_cast<std::uintptr_t>(::getauxval(AT_RANDOM)); address != 0)
        std::memcpy(&seed, reinterpret_cast<const void*>(address), sizeof seed);
      seed.multiplier |= 1;
      return seed;
    }();
    return kSeed;
  }
};

// Hashes keys that are read from files: numbers, enumerators, threads and texts.
struct SeededHash {
  using is_transparent = void;

  std::size_t operator()(std::uint64_t number) const {
    const HashSeed& seed = HashSeed::of_run();
    return mixed(number ^ seed.start, seed.multiplier);
  }
  template <typename Id>
  requires std::is_enum_v<Id> std::size_t operator()(Id id) const {
    return (*this)(static_cast<std::uint64_t>(id));
  }
  std::size_t operator()(const Thread& thread) const {
    return (*this)((*this)(thread.process) ^ thread.thread);
  }
  std::size_t operator()(std::string_view text) const {
    const HashSeed& seed = HashSeed::of_run();
    std::uint64_t hash = seed.start ^ text.size(), word = 0;
    for (; text.size() > sizeof word; text.remove_prefix(sizeof word)) {
      std::memcpy(&word, text.data(), sizeof word);
      hash = mixed(hash ^ word, seed.multiplier);
    }
    word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    return mixed(hash ^ word, seed.multiplier);
  }

 private:
  static std::uint64_t mixed(std::uint64_t number, std::uint64_t multiplier) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = Wide{number} * multiplier;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
};

template <class Key, class T>
using SeededMap = std::unordered_map<Key, T, SeededHash>;
template <class Key>
using SeededSet = std::unordered_set<Key, SeededHash>;

// Finds a place for a text in a small table, by the address of the text. Programs often write a text again
// from the same address. `places` must be a power of two.
inline std::size_t place_of_text(std::string_view text, std::size_t places) {
  // Multiplying by 2^64 / golden ratio gives neighboring addresses very different upper halves.
  const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(text.data()));
  return static_cast<std::size_t>((address * 0x9e37'79b9'7f4a'7c15u) >> 32) & (places - 1);
}

}  // namespace fxt
