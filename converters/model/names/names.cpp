#include "converters/model/names/names.h"

#include "fxt/field.h"

namespace convert {
namespace {

using CategoryBits = fxt::Field<32, 63>;
using NameBits = fxt::Field<0, 31>;

}  // namespace

NameId Names::intern(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

LabelId Names::intern_label(NameId category, NameId name) {
  const auto key = CategoryBits::put(static_cast<std::uint32_t>(category)) |
                   NameBits::put(static_cast<std::uint32_t>(name));
  const std::lock_guard lock(mutex_);
  const auto [found, inserted] = label_ids_.try_emplace(key, static_cast<LabelId>(labels_.size()));
  if (inserted) labels_.push_back({category, name});
  return found->second;
}

std::string_view Names::text(NameId id) const {
  const std::lock_guard lock(mutex_);
  return texts_[index(id)];
}

std::size_t Names::size() const {
  const std::lock_guard lock(mutex_);
  return texts_.size();
}

Names::Label Names::label(LabelId id) const {
  const std::lock_guard lock(mutex_);
  return labels_[index(id)];
}

std::size_t Names::label_count() const {
  const std::lock_guard lock(mutex_);
  return labels_.size();
}

}  // namespace convert
