// Interned texts and labels (pairs of category and name). Importers intern a text once, and then use its id,
// so records need no copy of the text. Several threads may use Names: interning takes a lock, and reading the
// text of an id does not. Ids may differ from run to run.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert {

// How symbols of programs are shown. Simple: in uftrace's short form. Full: with all parts of the mangled
// name. No: as mangled names.
enum class Demangle : std::uint8_t { Simple, Full, No };

// A vector whose elements never move. While one thread appends, another thread may read the elements whose
// indexes it got from the first thread.
template <typename T>
class StableVector {
 public:
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const {
    const std::size_t chunk = chunk_of(i);
    return chunks_[chunk][i - first_of(chunk)];
  }
  void push_back(const T& value) {
    const std::size_t chunk = chunk_of(size_);
    if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique_for_overwrite<T[]>(kFirst << chunk);
    chunks_[chunk][size_++ - first_of(chunk)] = value;
  }

 private:
  // Each chunk is twice as long as the previous chunk.
  static constexpr std::size_t kFirst = 64;
  static std::size_t chunk_of(std::size_t i) {
    return static_cast<std::size_t>(std::bit_width(i / kFirst + 1)) - 1;
  }
  static std::size_t first_of(std::size_t chunk) { return (kFirst << chunk) - kFirst; }

  std::array<std::unique_ptr<T[]>, 33> chunks_;
  std::size_t size_ = 0;
};

// Stores texts next to each other in memory. A stored text never moves.
class TextPool {
 public:
  std::string_view keep(std::string_view text) {
    char* const kept = static_cast<char*>(memory_.allocate(text.size(), 1));
    std::ranges::copy(text, kept);
    return {kept, text.size()};
  }

 private:
  std::pmr::monotonic_buffer_resource memory_;
};

class Names {
 public:
  struct Label {
    NameId category;
    NameId name;
  };

  // Returns the same id for equal texts. Ids count up from 0 without gaps. A text may contain any bytes.
  NameId intern(std::string_view text);
  // Interns many texts. This is faster than one by one, because cache misses overlap.
  void intern(std::span<const std::string> texts, std::span<NameId> ids);
  // The text is valid as long as this object.
  const std::string_view& text(NameId id) const { return texts_[index_of(id)]; }
  std::size_t size() const;

  LabelId intern_label(NameId category, NameId name);
  LabelId intern_label(std::string_view category, std::string_view name) {
    const NameId category_id = intern(category);
    return intern_label(category_id, intern(name));
  }
  const Label& label(LabelId id) const { return labels_[index_of(id)]; }
  std::size_t label_count() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t id = kNone;
  };
  NameId intern_locked(std::string_view text, std::uint32_t hash);
  void grow();

  mutable std::mutex mutex_;
  StableVector<std::string_view> texts_;
  StableVector<Label> labels_;
  TextPool pool_;
  // A hash table of the texts with open addressing, which is at most half full. A program can have a million
  // names, and a map of strings would need a hundred bytes for each of them.
  std::vector<Slot> slots_ = std::vector<Slot>(256);
  // Labels with the same name are in a chain, which is short, because a name has few categories.
  std::vector<std::uint32_t> newest_label_;  // the first label of the chain, by name
  std::vector<std::uint32_t> older_label_;
};

}  // namespace convert
