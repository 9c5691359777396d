// The grammar of enum definitions in info and .dbg files, and the texts for values:
//
//   enum NAME { A, B = 3, C, };enum …
#pragma once

#include <cstddef>
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
  NameId name_id = {};  // id of `name`, set by EnumType
};

class EnumType {
 public:
  EnumType(std::vector<Enumerator> enumerators, Names& names);

  // The enumerator with that value; null if no enumerator has it. If several enumerators have this value,
  // returns the first one in the definition.
  const Enumerator* find(std::int64_t value) const;
  // Appends the enumerators that add up to the value, from large to small, each at most once, and the
  // remainder: "B|A", "B|A+0x8". Appends nothing and returns false if every enumerator is too large.
  bool describe(std::int64_t value, std::string& text) const;
  // An upper limit for the number of bytes that describe() appends.
  std::size_t longest_text() const { return longest_text_; }
  // The value of a recorded register. The upper half of a register with an int is 0, so a negative enumerator
  // must be sign-extended. In .dbg files, the enumerators of unsigned types are sign-extended as well: 200 in
  // a uint8_t is -56 there.
  std::int64_t value_of(std::uint64_t bits) const;

  const std::vector<Enumerator>& enumerators() const { return by_value_; }

 private:
  // The enumerators of an unsigned type of one or two bytes are sign-extended in .dbg files. Returns the
  // difference, 2^8 or 2^16, for the smallest type that holds the value and all enumerators; 0 for larger
  // types.
  std::int64_t wrap_at(std::int64_t value) const;

  std::vector<Enumerator> by_value_;  // sorted from large to small
  std::size_t longest_text_ = 0;
};

using EnumTypes = std::map<std::string, EnumType, std::less<>>;

// Accepts any bytes. Adds definitions that can't be parsed to `problems`. If a name is defined several times,
// the first definition is used.
void parse_enums(std::string_view list, Names& names, EnumTypes& types, std::vector<std::string>& problems);

}  // namespace convert::uftrace
