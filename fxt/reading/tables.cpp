// Providers come and go.
#include "fxt/reading/tables.h"

namespace fxt {

bool Providers::knows(std::uint32_t id) const {
  const auto context = contexts_.find(id);
  return context != contexts_.end() && context->second.announced;
}

bool Providers::announce(std::uint32_t id, std::string_view name) {
  const bool again = knows(id);
  current_ = &contexts_[id];
  *current_ = {};
  current_->id = id;
  current_->name = name;
  current_->announced = true;
  return again;
}

bool Providers::enter(std::uint32_t id) {
  current_ = &contexts_[id];
  current_->id = id;
  return current_->announced;
}

}  // namespace fxt
