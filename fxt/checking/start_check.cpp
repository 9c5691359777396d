// What each reader needs first.
#include "fxt/checking/start_check.h"

namespace fxt {
namespace {

bool is_metadata(const Record& record) {
  return std::holds_alternative<Magic>(record) || std::holds_alternative<ProviderInfo>(record) ||
         std::holds_alternative<ProviderSection>(record) || std::holds_alternative<ProviderEvent>(record);
}

}  // namespace

void StartCheck::add(const Entry& entry, const Reader& reader) {
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

void StartCheck::check_magic(const Entry& entry, const Reader& reader) {
  if (entry.words[0] != kMagicRecord) {
    findings_->fault(Fault::NoMagic, "the file does not begin with the magic word");
  } else if (reader.other_byte_order()) {
    findings_->fault(Fault::BigEndian, "the file is big-endian");
  }
}

void StartCheck::check_provider(const ProviderInfo& info) {
  ++providers_;
  if (info.id == 0) findings_->fault(Fault::ProviderZero, "provider id 0");
}

void StartCheck::check_initialization(const Initialization& initialization) {
  initialized_ = true;
  if (initialization.ticks_per_second != 0 && initialization.ticks_per_second != kTicksPerSecond)
    findings_->fault(Fault::OtherTickRate,
                     std::to_string(initialization.ticks_per_second) + " ticks per second");
  if (providers_ != 0 || initialization_early_) return;
  initialization_early_ = true;
  findings_->fault(
      initialization.ticks_per_second == kTicksPerSecond ? Fault::InitializationEarly : Fault::OtherRateEarly,
      "initialization before provider info");
}

void StartCheck::check_without_provider(const Record& record) {
  if (std::holds_alternative<StringRecord>(record)) {
    if (!string_early_)
      findings_->fault(Fault::StringEarly, "string registered before any provider is announced");
    string_early_ = true;
  } else if (std::holds_alternative<ThreadRecord>(record)) {
    if (!thread_early_)
      findings_->fault(Fault::ThreadEarly, "thread registered before any provider is announced");
    thread_early_ = true;
  } else {
    if (!provider_missing_) findings_->fault(Fault::NoProvider, "no provider was announced before");
    provider_missing_ = true;
  }
}

void StartCheck::timed() {
  if (initialized_ || initialization_missing_) return;
  findings_->fault(Fault::NoInitialization, "no initialization before the first time");
  initialization_missing_ = true;
}

void StartCheck::finish(const ReadEnd& end) {
  if (any_record_) return;
  if (end.reason == ReadEnd::Reason::EndOfFile) {
    findings_->fault(Fault::EmptyFile, "the file is empty");
  } else {
    findings_->fault(Fault::NoMagic, "the file does not begin with the magic word");
  }
}

}  // namespace fxt
