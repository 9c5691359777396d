// The functions or the objects of a program, by address and by name. A large program has millions of names.
// Therefore, names are not copied from the file, and a name is demangled only if it may match.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convert::tfile {

// A name as users write it: without parameters and ABI tags.
std::string plain_name_of(std::string_view symbol);

// The last identifier of a name, but before the template arguments if it has any: "Node" for "vtable for
// ns::Node", "Box" for "ns::Box<int>::run". Searches use it as the key, because users write parts of names.
std::string_view key_of_name(std::string_view plain_name);
// The key of a mangled name, found without demangling. Nothing if the name does not have one of the simple
// forms that nearly all names have.
std::optional<std::string_view> key_of_symbol(std::string_view symbol);

class NamedPlaces {
 public:
  struct Place {
    std::uint64_t address = 0, size = 0;
    const char* symbol = nullptr;  // mangled; must stay valid
    std::uint32_t order = 0;       // the number of places that were added before
  };

  void add(std::uint64_t address, std::uint64_t size, const char* symbol) {
    if (places_.size() < std::numeric_limits<std::uint32_t>::max())
      places_.push_back({address, size, symbol, static_cast<std::uint32_t>(places_.size())});
  }
  // Must be called once, after the last add().
  void put_in_order();

  std::size_t size() const { return places_.size(); }
  // The place that contains the address; null if there is none. If several places contain it, returns the
  // place that begins last. If these begin together, returns the place that was added last.
  const Place* find(std::uint64_t address) const;
  // A Key consists of the hash of a place's key and the index of the place. with_key_of() returns the places
  // whose keys have the same hash as the key of `name`. The names of these places may match `name`.
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  std::span<const Key> with_key_of(std::string_view name);
  const Place& at(const Key& key) const { return places_[key.second]; }

 private:
  static constexpr std::size_t kBlock = 64;

  std::vector<Place> places_;             // by address
  std::vector<std::uint64_t> block_end_;  // for each block of kBlock places: the highest end of these places
  std::vector<Key> by_key_;               // sorted; empty until it is needed
};

}  // namespace convert::tfile
