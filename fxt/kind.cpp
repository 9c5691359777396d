// The words for kinds of records.
#include "fxt/kind.h"

#include <array>

namespace fxt {
namespace {

struct KindName {
  std::string_view operator()(const UnknownRecord&) const { return "unknown"; }
  std::string_view operator()(const Magic&) const { return "magic"; }
  std::string_view operator()(const ProviderInfo&) const { return "provider-info"; }
  std::string_view operator()(const ProviderSection&) const { return "provider-section"; }
  std::string_view operator()(const ProviderEvent&) const { return "provider-event"; }
  std::string_view operator()(const Initialization&) const { return "initialization"; }
  std::string_view operator()(const StringRecord&) const { return "string"; }
  std::string_view operator()(const ThreadRecord&) const { return "thread"; }
  std::string_view operator()(const Event& event) const { return kind_of(event.type); }
  std::string_view operator()(const Blob&) const { return "blob"; }
  std::string_view operator()(const UserspaceObject&) const { return "userspace-object"; }
  std::string_view operator()(const KernelObject&) const { return "kernel-object"; }
  std::string_view operator()(const LegacyContextSwitch&) const { return "context-switch"; }
  std::string_view operator()(const ContextSwitch&) const { return "thread-switch"; }
  std::string_view operator()(const ThreadWakeup&) const { return "wakeup"; }
  std::string_view operator()(const Log&) const { return "log"; }
  std::string_view operator()(const ProfilerModule&) const { return "profiler-module"; }
  std::string_view operator()(const ProfilerMmap&) const { return "profiler-mmap"; }
  std::string_view operator()(const ProfilerBacktrace&) const { return "profiler-backtrace"; }
  std::string_view operator()(const LargeBlob&) const { return "large-blob"; }
  std::string_view operator()(const LargeBlobWithoutMetadata&) const { return "large-blob-plain"; }
};

}  // namespace

std::string_view kind_of(EventType type) {
  static constexpr std::array kNames = {
      std::string_view("instant"),       std::string_view("counter"),   std::string_view("begin"),
      std::string_view("end"),           std::string_view("complete"),  std::string_view("async-begin"),
      std::string_view("async-instant"), std::string_view("async-end"), std::string_view("flow-begin"),
      std::string_view("flow-step"),     std::string_view("flow-end")};
  return kNames.at(code(type));
}

std::string_view kind_of(const Record& record) { return std::visit(KindName{}, record); }

}  // namespace fxt
