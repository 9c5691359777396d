// The grammar of enum definitions in info and .dbg files, and how a value is shown by names:
//
//   enum NAME { A, B = 3, C, };enum …
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace convert::uftrace {

struct Enumerator {
  std::string name;
  std::int64_t value;
  friend bool operator==(const Enumerator&, const Enumerator&) = default;
};

class EnumType {
 public:
  explicit EnumType(std::vector<Enumerator> enumerators);

  // The name of the enumerator with that value, null if none has it. The first one that was defined, if
  // several have it.
  const std::string* name_of(std::int64_t value) const;
  // "B|A", "B|A+0x8": what the value is made of, from large to small, each once, and what remains. False (and
  // nothing is added) if no enumerator is small enough.
  bool describe(std::int64_t value, std::string& text) const;
  // Registers are recorded whole: a negative enumerator has lost its upper half.
  std::int64_t value_of(std::uint64_t bits) const;

  const std::vector<Enumerator>& enumerators() const { return by_value_; }

 private:
  std::vector<Enumerator> by_value_;  // from large to small
};

using EnumTypes = std::map<std::string, EnumType, std::less<>>;

// Takes any bytes; definitions that can't be understood are left out and put into `problems`. The first
// definition of a name counts.
void parse_enums(std::string_view list, EnumTypes& types, std::vector<std::string>& problems);

}  // namespace convert::uftrace
