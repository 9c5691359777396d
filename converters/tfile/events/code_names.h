// Names of frames and source places, by pc, remembered: the same few addresses are hit again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/placer.h"

namespace convert::tfile {

inline constexpr std::string_view kTracepointCategory = "tracepoint";

struct CodeName {
  LabelId label{};
  std::string source;   // "file:line", empty: unknown
  std::string inlined;  // "inner < outer" when functions are inlined there
};

class CodeNames {
 public:
  // Borrows all; `symbols` may be null.
  CodeNames(Names& names, const LocationTable& locations, const Symbols* symbols)
      : names_(names), locations_(locations), symbols_(symbols) {}

  // Function at the pc, else the location as the user gave it, else the tracepoint's number. Valid until the
  // next call.
  const CodeName& of(const Frame& frame, const Placement& placement);

 private:
  static constexpr std::size_t kMaxRemembered = 65536;

  CodeName by_location(const Frame& frame, const Placement& placement);

  struct Key {
    std::uint64_t pc;
    std::uint32_t tracepoint_and_role;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::uint64_t>()(key.pc) ^ (std::hash<std::uint32_t>()(key.tracepoint_and_role) * 31);
    }
  };

  Names& names_;
  const LocationTable& locations_;
  const Symbols* symbols_;
  std::unordered_map<Key, CodeName, Hash> remembered_;
};

}  // namespace convert::tfile
