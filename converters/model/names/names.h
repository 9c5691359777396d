// Interned strings and interned (category, name) pairs. Importers intern once and then pass ids, so that
// nothing is hashed or copied per record. Safe to use from several threads, at the cost of a lock. The ids
// may differ from run to run.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converters/model/lanes/event.h"

namespace convert {

// How symbols of programs are shown: as uftrace does, with all that their mangling holds, or as they are.
enum class Demangle : std::uint8_t { Simple, Full, No };

class Names {
 public:
  struct Label {
    NameId category;
    NameId name;
  };

  // The same text gives the same id. Ids count up from 0 without gaps. Any bytes are allowed.
  NameId intern(std::string_view text);
  std::string_view text(NameId id) const;  // valid as long as this object
  std::size_t size() const;

  LabelId intern_label(NameId category, NameId name);
  LabelId intern_label(std::string_view category, std::string_view name) {
    const NameId category_id = intern(category);
    return intern_label(category_id, intern(name));
  }
  Label label(LabelId id) const;
  std::size_t label_count() const;

  static constexpr std::size_t index(NameId id) { return static_cast<std::size_t>(id); }
  static constexpr std::size_t index(LabelId id) { return static_cast<std::size_t>(id); }

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> texts_;  // stable addresses: the map's keys borrow from here
  std::unordered_map<std::string_view, NameId> ids_;
  std::vector<Label> labels_;
  std::unordered_map<std::uint64_t, LabelId> label_ids_;
};

}  // namespace convert
