// How a file begins: magic word, provider, initialization, and what must not come before them (rules W1, W2,
// W4). Internal to the Checker.
#pragma once

#include <cstdint>

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

class StartCheck {
 public:
  explicit StartCheck(Findings& findings) : findings_(&findings) {}
  // To be called with every record before the other checks.
  void add(const Entry& entry, const Reader& reader);
  // A record that has a time.
  void timed();
  void finish(const ReadEnd& end);

  bool several_providers() const { return providers_ > 1; }

 private:
  void check_magic(const Entry& entry, const Reader& reader);
  void check_provider(const ProviderInfo& info);
  void check_initialization(const Initialization& initialization);
  void check_without_provider(const Record& record);

  Findings* findings_;
  bool any_record_ = false;
  std::uint64_t providers_ = 0;  // announced so far
  bool initialized_ = false;
  // Each is reported once.
  bool initialization_missing_ = false, initialization_early_ = false, provider_missing_ = false,
       string_early_ = false, thread_early_ = false;
};

}  // namespace fxt
