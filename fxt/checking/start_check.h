// Checks the magic word, the providers and the initializations of a file, and whether records come too early
// (rules W1, W2, W4). Internal to the Checker.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "fxt/checking/findings.h"
#include "fxt/header_words.h"
#include "fxt/reader.h"
#include "fxt/records.h"

namespace fxt {

class StartCheck {
 public:
  explicit StartCheck(Findings& findings) : findings_(&findings) {}

  // Must be called with every record before the other checks.
  void add(const Entry& entry, const Reader& reader) {
    if (!any_record_) check_magic(entry, reader);
    any_record_ = true;
    if (const auto* info = std::get_if<ProviderInfo>(&entry.record)) {
      check_provider(*info);
    } else if (const auto* initialization = std::get_if<Initialization>(&entry.record)) {
      check_initialization(*initialization);
    } else if (providers_ == 0 && !is_metadata(entry.record)) {
      check_without_provider(entry.record);
    }
  }
  // Must be called for each record that has a time.
  void timed() {
    if (!initialized_)
      report_once(initialization_missing_, Fault::NoInitialization,
                  "no initialization record before the first record with a time");
  }
  void finish(const ReadEnd& end) {
    if (any_record_) return;
    if (end.reason == ReadEnd::Reason::EndOfFile) {
      findings_->add(Fault::EmptyFile, "the file is empty");
    } else {
      findings_->add(Fault::NoMagic, "the file does not begin with the magic word");
    }
  }

  bool several_providers() const { return providers_ > 1; }

 private:
  static bool is_metadata(const Record& record) {
    return std::holds_alternative<Magic>(record) || std::holds_alternative<ProviderInfo>(record) ||
           std::holds_alternative<ProviderSection>(record) || std::holds_alternative<ProviderEvent>(record);
  }
  void check_magic(const Entry& entry, const Reader& reader) {
    if (entry.words[0] != kMagicRecord) {
      findings_->add(Fault::NoMagic, "the file does not begin with the magic word");
    } else if (reader.other_byte_order()) {
      findings_->add(Fault::BigEndian, "the file is big-endian");
    }
  }
  void check_provider(const ProviderInfo& info) {
    ++providers_;
    if (info.id == 0) findings_->add(Fault::ProviderZero, "provider id 0");
  }
  void check_initialization(const Initialization& initialization) {
    initialized_ = true;
    const bool is_ns = initialization.ticks_per_second == kTicksPerSecond;
    if (initialization.ticks_per_second != 0 && !is_ns)
      findings_->add(Fault::OtherTickRate,
                     std::to_string(initialization.ticks_per_second) + " ticks per second");
    if (providers_ == 0)
      report_once(initialization_early_, is_ns ? Fault::InitializationEarly : Fault::OtherRateEarly,
                  "initialization before provider info");
  }
  void check_without_provider(const Record& record) {
    if (std::holds_alternative<StringRecord>(record))
      report_once(string_early_, Fault::StringEarly, "string registered before any provider is announced");
    else if (std::holds_alternative<ThreadRecord>(record))
      report_once(thread_early_, Fault::ThreadEarly, "thread registered before any provider is announced");
    else
      report_once(provider_missing_, Fault::NoProvider, "no provider was announced before");
  }
  void report_once(bool& is_reported, Fault fault, const char* problem) {
    if (!is_reported) findings_->add(fault, problem);
    is_reported = true;
  }

  Findings* findings_;
  bool any_record_ = false;
  std::uint64_t providers_ = 0;
  bool initialized_ = false;
  // Each of these is true if its fault has been reported.
  bool initialization_missing_ = false, initialization_early_ = false, provider_missing_ = false,
       string_early_ = false, thread_early_ = false;
};

}  // namespace fxt
