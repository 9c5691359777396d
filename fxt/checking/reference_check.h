// The string and thread tables as the other readers keep them, to see where their names differ from what the
// file means (rules W2, W3, W6). Internal to the Checker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

class ReferenceCheck {
 public:
  explicit ReferenceCheck(const Findings& findings) : findings_(&findings) {}

  void registered(const StringRecord& string) { strings_[string.index] = string.text; }
  void registered(const ThreadRecord& thread) { threads_[thread.index] = {thread.process, thread.thread}; }
  // A reference by index, which the file's own provider knows as this string or thread.
  void used(const String& string);
  void used(const Thread& thread);

 private:
  const Findings* findings_;
  std::map<std::uint16_t, std::string> strings_;                             // Tracy: one for the file
  std::map<std::uint8_t, std::pair<std::uint64_t, std::uint64_t>> threads_;  // Tracy and Rust
};

}  // namespace fxt
