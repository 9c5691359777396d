#include "converters/model/names/names.h"

#include <algorithm>
#include <functional>

namespace convert {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

// Multiplied with the golden ratio, so that neighbours lie apart.
std::uint32_t hash_of(NameId category, NameId name) {
  const std::uint64_t both =
      std::uint64_t{static_cast<std::uint32_t>(category)} << 32 | static_cast<std::uint32_t>(name);
  return static_cast<std::uint32_t>((both * 0x9e37'79b9'7f4a'7c15u) >> 32);
}

}  // namespace

// ---- Ids ----

template <typename IsIt>
std::uint32_t Names::IdTable::find_or_add(std::uint32_t hash, std::uint32_t next, IsIt is_it) {
  if (2 * used_ == slots_.size()) grow();
  for (std::size_t i = hash;; ++i) {
    Slot& slot = slots_[i & (slots_.size() - 1)];
    if (slot.id == kNone) {
      ++used_;
      slot = {hash, next};
      return next;
    }
    if (slot.hash == hash && is_it(slot.id)) return slot.id;
  }
}

void Names::IdTable::grow() {
  std::vector<Slot> before(2 * slots_.size());
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.id == kNone) continue;
    std::size_t i = slot.hash;
    while (slots_[i & (slots_.size() - 1)].id != kNone) ++i;
    slots_[i & (slots_.size() - 1)] = slot;
  }
}

// ---- Names ----

NameId Names::intern(std::string_view text) {
  const auto hash = static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const std::uint32_t id =
      text_ids_.find_or_add(hash, next, [&](std::uint32_t known) { return texts_[known] == text; });
  if (id == next) texts_.push_back(keep(text));
  return NameId{id};
}

std::string_view Names::keep(std::string_view text) {
  if (text.size() > bytes_left_) {
    bytes_left_ = std::max(kChunkBytes, text.size());
    bytes_.push_back(std::make_unique_for_overwrite<char[]>(bytes_left_));
    free_ = bytes_.back().get();
  }
  char* const kept = free_;
  free_ = std::ranges::copy(text, kept).out;
  bytes_left_ -= text.size();
  return {kept, text.size()};
}

LabelId Names::intern_label(NameId category, NameId name) {
  const std::lock_guard lock(mutex_);
  const auto next = static_cast<std::uint32_t>(labels_.size());
  const std::uint32_t id = label_ids_.find_or_add(hash_of(category, name), next, [&](std::uint32_t known) {
    return labels_[known].category == category && labels_[known].name == name;
  });
  if (id == next) labels_.push_back({category, name});
  return LabelId{id};
}

std::size_t Names::size() const {
  const std::lock_guard lock(mutex_);
  return texts_.size();
}

std::size_t Names::label_count() const {
  const std::lock_guard lock(mutex_);
  return labels_.size();
}

}  // namespace convert
