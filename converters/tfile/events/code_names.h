// The names and source lines of frames. Cached by pc, because the same few addresses are hit again and again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "converters/model/names/names.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

inline constexpr std::string_view kTracepointCategory = "tracepoint";

struct CodeName {
  LabelId label{};
  std::string source = {};   // "file:line"; empty: unknown
  std::string inlined = {};  // "inner < outer" where functions are inlined
};

class CodeNames {
 public:
  // Borrows all; `symbols` may be null.
  CodeNames(Names& names, const LocationTable& locations, const ProgramSymbols* symbols)
      : names_(names), locations_(locations), symbols_(symbols) {}

  // The name is the function at the pc, else the location as the user wrote it, else the tracepoint's number.
  // Valid until the next call.
  const CodeName& of(const Frame& frame, const FrameContext& context);

 private:
  static constexpr std::size_t kMaxCached = 65536;

  std::string name_by_location(const Frame& frame, const FrameContext& context) const;

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
  const ProgramSymbols* symbols_;
  std::unordered_map<Key, CodeName, Hash> cache_;
};

}  // namespace convert::tfile
