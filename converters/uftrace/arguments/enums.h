// The grammar of enum definitions in info and .dbg files, and the text for a value:
//
//   enum NAME { A, B = 3, C, };enum …
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"

namespace convert::uftrace {

struct Enumerator {
  std::string name;
  std::int64_t value;
  NameId name_id = {};  // of `name`; EnumType sets it
};

class EnumType {
 public:
  EnumType(std::vector<Enumerator> enumerators, Names& names);

  // The enumerator with that value, the first one defined if several have it; null if there is none.
  const Enumerator* find(std::int64_t value) const;
  // Appends the enumerators that add up to the value, from large to small, each at most once, and what
  // remains: "B|A", "B|A+0x8". Appends nothing and returns false if every enumerator is too large.
  bool describe(std::int64_t value, std::string& text) const;
  // The value of a recorded register. An int leaves the upper half of its register 0, so a negative
  // enumerator has to be sign-extended. .dbg files have the enumerators of unsigned types sign-extended, too:
  // 200 of a uint8_t is -56 there.
  std::int64_t value_of(std::uint64_t bits) const;

  const std::vector<Enumerator>& enumerators() const { return by_value_; }

 private:
  // 2^8 or 2^16, which the sign-extended enumerators of an unsigned type of one or two bytes lack: of the
  // smallest type that holds the value and all enumerators. 0 for larger types.
  std::int64_t wrap_at(std::int64_t value) const;

  std::vector<Enumerator> by_value_;  // from large to small
};

using EnumTypes = std::map<std::string, EnumType, std::less<>>;

// Accepts any bytes. Definitions that can't be parsed are added to `problems`. The first definition of a name
// counts.
void parse_enums(std::string_view list, Names& names, EnumTypes& types, std::vector<std::string>& problems);

}  // namespace convert::uftrace
