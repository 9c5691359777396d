#include "converters/model/names/names.h"

#include "fxt/hash.h"
#include "fxt/support/memory_limit.h"

namespace convert {

namespace {

std::uint32_t hash_of(std::string_view text) { return static_cast<std::uint32_t>(fxt::SeededHash()(text)); }

}  // namespace

NameId Names::intern(std::string_view text) {
  const std::uint32_t hash = hash_of(text);
  const std::lock_guard lock(mutex_);
  return intern_locked(text, hash);
}

void Names::intern(std::span<const std::string> texts, std::span<NameId> ids) {
  const std::lock_guard lock(mutex_);
  for (const std::string& text : texts) __builtin_prefetch(&slots_[hash_of(text) & (slots_.size() - 1)]);
  std::ranges::transform(texts, ids.begin(),
                         [this](const std::string& text) { return intern_locked(text, hash_of(text)); });
}

NameId Names::intern_locked(std::string_view text, std::uint32_t hash) {
  if (2 * texts_.size() == slots_.size()) grow();
  for (std::size_t i = hash;; ++i) {
    Slot& slot = slots_[i & (slots_.size() - 1)];
    if (slot.id == kNone) {
      fxt::check_memory();
      slot = {hash, static_cast<std::uint32_t>(texts_.size())};
      texts_.push_back(pool_.keep(text));
      return NameId{slot.id};
    }
    if (slot.hash == hash && texts_[slot.id] == text) return NameId{slot.id};
  }
}

void Names::grow() {
  std::vector<Slot> before(2 * slots_.size());
  before.swap(slots_);
  for (const Slot& slot : before) {
    if (slot.id == kNone) continue;
    std::size_t i = slot.hash;
    while (slots_[i & (slots_.size() - 1)].id != kNone) ++i;
    slots_[i & (slots_.size() - 1)] = slot;
  }
}

LabelId Names::intern_label(NameId category, NameId name) {
  const std::lock_guard lock(mutex_);
  if (newest_label_.size() <= index_of(name))
    newest_label_.resize(std::max(texts_.size(), index_of(name) + 1), kNone);
  std::uint32_t& newest = newest_label_[index_of(name)];
  for (std::uint32_t id = newest; id != kNone; id = older_label_[id])
    if (labels_[id].category == category) return LabelId{id};
  labels_.push_back({category, name});
  older_label_.push_back(newest);
  newest = static_cast<std::uint32_t>(labels_.size() - 1);
  return LabelId{newest};
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
