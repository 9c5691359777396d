// The parser for enum definitions in info and .dbg files, and the texts for values. The grammar is:
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
  NameId name_id = {};  // the id of `name`, which EnumType sets
};

class EnumType {
 public:
  EnumType(std::vector<Enumerator> enumerators, Names& names);

  // Returns the first enumerator with this value, or null if there is none.
  const Enumerator* find(std::int64_t value) const;
  // Appends the names of enumerators that add up to the value, such as "B|A", or "B|A+0x8" with a remainder.
  // Each enumerator is used at most once, from large to small. Returns false if all are larger than the
  // value.
  bool describe(std::int64_t value, std::string& text) const;
  // An upper limit for the number of bytes that describe() appends.
  std::size_t longest_text() const { return longest_text_; }
  // Returns the enumerator's value for a recorded register. A negative int is sign-extended, because its
  // upper half is 0 in the register. In .dbg files, enumerators of small unsigned types are also
  // sign-extended. For example, 200 in a uint8_t is -56 there. Therefore, 200 becomes -56 if only -56 is an
  // enumerator.
  std::int64_t value_of(std::uint64_t bits) const;

  const std::vector<Enumerator>& enumerators() const { return by_value_; }

 private:
  // The difference between an unsigned value and its sign-extended form in .dbg files: 2^8 if one byte can
  // hold the value and all enumerators, or else 2^16 if two bytes can. 0 for larger types, which are not
  // sign-extended.
  std::int64_t wrap_at(std::int64_t value) const;

  std::vector<Enumerator> by_value_;  // sorted from large to small
  std::size_t longest_text_ = 0;
};

using EnumTypes = std::map<std::string, EnumType, std::less<>>;

// `list` may contain any bytes. Adds definitions that can't be parsed to `problems`. If a name is defined
// several times, the first definition is used.
void parse_enums(std::string_view list, Names& names, EnumTypes& types, std::vector<std::string>& problems);

}  // namespace convert::uftrace
