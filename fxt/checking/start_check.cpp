// What each reader needs first.
#include "fxt/checking/start_check.h"

namespace fxt {
namespace {

constexpr std::string_view kNoMagic =
    "Tracy ends with an exception, Fuchsia's Rust reader refuses, Perfetto does not know the file";

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
    findings_->error("W1", "the file does not begin with the magic word", kNoMagic);
  } else if (reader.other_byte_order()) {
    findings_->error("W1", "the file is big-endian", "all known readers expect little-endian words");
  }
}

void StartCheck::check_provider(const ProviderInfo& info) {
  ++providers_;
  if (info.id == 0) findings_->warning("W2", "provider id 0", "readers use it for records of no provider");
}

void StartCheck::check_initialization(const Initialization& initialization) {
  initialized_ = true;
  if (initialization.ticks_per_second != 0 && initialization.ticks_per_second != kTicksPerSecond)
    findings_->error("W4", std::to_string(initialization.ticks_per_second) + " ticks per second",
                     "Tracy takes ticks for nanoseconds");
  if (providers_ != 0 || initialization_early_) return;
  initialization_early_ = true;
  if (initialization.ticks_per_second == kTicksPerSecond) {
    findings_->warning("W1", "initialization before provider info", "some readers fail");
  } else {
    findings_->error("W1", "initialization before provider info",
                     "Perfetto forgets the tick rate when a provider comes, some readers fail");
  }
}

void StartCheck::check_without_provider(const Record& record) {
  if (std::holds_alternative<StringRecord>(record)) {
    if (!string_early_)
      findings_->error(
          "W2", "string registered before any provider is announced",
          "Fuchsia's Rust reader does not know it, its C++ reader and Perfetto forget it when a provider "
          "comes");
    string_early_ = true;
  } else if (std::holds_alternative<ThreadRecord>(record)) {
    if (!thread_early_)
      findings_->warning("W2", "thread registered before any provider is announced",
                         "Fuchsia's C++ reader and Perfetto forget it when a provider comes");
    thread_early_ = true;
  } else {
    if (!provider_missing_)
      findings_->warning("W1", "no provider was announced before",
                         "Fuchsia's Rust reader knows no indexed strings");
    provider_missing_ = true;
  }
}

void StartCheck::timed() {
  if (initialized_ || initialization_missing_) return;
  findings_->error("W1", "no initialization before the first time",
                   "Fuchsia's Rust reader takes a tick for a second");
  initialization_missing_ = true;
}

void StartCheck::finish(const ReadEnd& end) {
  if (any_record_) return;
  if (end.reason == ReadEnd::Reason::EndOfFile) {
    findings_->error("W1", "the file is empty", "no reader takes it for a trace");
  } else {
    findings_->error("W1", "the file does not begin with the magic word", kNoMagic);
  }
}

}  // namespace fxt
