// Interned strings, interned (category, name) pairs, and forms of events. Importers intern once and then pass
// ids, so that nothing is hashed or copied per record.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/form.h"

namespace convert {

class Names {
 public:
  struct Label {
    NameId category;
    NameId name;
  };

  // The same text gives the same id. Ids count up from 0 without gaps. Any bytes are allowed.
  NameId intern(std::string_view text);
  std::string_view text(NameId id) const { return texts_[index(id)]; }  // valid as long as this object
  std::size_t size() const { return texts_.size(); }

  LabelId label(NameId category, NameId name);
  LabelId label(std::string_view category, std::string_view name) {
    const NameId category_id = intern(category);
    return label(category_id, intern(name));
  }
  Label parts(LabelId id) const { return labels_[index(id)]; }
  std::size_t label_count() const { return labels_.size(); }

  // Each call gives a new id, counting up from 0.
  FormId add_form(Form form) {
    forms_.push_back(std::move(form));
    return static_cast<FormId>(forms_.size() - 1);
  }
  const Form& form(FormId id) const { return forms_[index(id)]; }  // valid as long as this object
  std::size_t form_count() const { return forms_.size(); }

  static constexpr std::size_t index(NameId id) { return static_cast<std::size_t>(id); }
  static constexpr std::size_t index(LabelId id) { return static_cast<std::size_t>(id); }
  static constexpr std::size_t index(FormId id) { return static_cast<std::size_t>(id); }

 private:
  std::deque<std::string> texts_;  // stable addresses: the map's keys borrow from here
  std::unordered_map<std::string_view, NameId> ids_;
  std::vector<Label> labels_;
  std::unordered_map<std::uint64_t, LabelId> label_ids_;
  std::deque<Form> forms_;
};

}  // namespace convert
