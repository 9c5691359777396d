// How a file begins: magic word, provider, initialization, and what must not come before them (rules W1, W2,
// W4). Internal to the Checker.
#pragma once

#include <cstdint>
#include <string_view>

#include "fxt/checking/findings.h"
#include "fxt/reader.h"

namespace fxt {

class StartCheck {
 public:
  explicit StartCheck(const Findings& findings) : findings_(&findings) {}
  // Every record, before anything else is said about it. `kind` is its word.
  void add(const Entry& entry, std::string_view kind, const Reader& reader);
  // A record that has a time.
  void timed(std::uint64_t offset, std::string_view kind);
  void finish(const ReadEnd& end);

  bool several_providers() const { return providers_ > 1; }

 private:
  void check_magic(const Entry& entry, const Reader& reader);
  void check_provider(const ProviderInfo& info);
  void check_initialization(const Initialization& initialization);
  void check_without_provider(const Record& record);
  void error(std::string_view rule, std::string problem, std::string_view effect) const {
    findings_->error(rule, offset_, kind_, std::move(problem), effect);
  }
  void warning(std::string_view rule, std::string problem, std::string_view effect) const {
    findings_->warning(rule, offset_, kind_, std::move(problem), effect);
  }

  const Findings* findings_;
  // Of the current record.
  std::uint64_t offset_ = 0;
  std::string_view kind_;

  bool any_record_ = false;
  std::uint64_t providers_ = 0;  // announced so far
  bool initialized_ = false;
  // Each is said once.
  bool initialization_missing_ = false, initialization_early_ = false, provider_missing_ = false,
       string_early_ = false, thread_early_ = false;
};

}  // namespace fxt
