// One table for all providers, as some readers have it.
#include "fxt/checking/reference_check.h"

namespace fxt {

void ReferenceCheck::used(const String& string) {
  if (string.storage != Storage::Table || string.index == 0) return;
  const auto entry = strings_.find(string.index);
  if (entry == strings_.end() || entry->second == string.text) return;
  findings_->error("W3", "string " + std::to_string(string.index) + " is another one in another provider",
                   "Tracy takes the other one");
}

void ReferenceCheck::used(const Thread& thread) {
  if (thread.storage != Storage::Table || thread.index == 0) return;
  const auto entry = threads_.find(thread.index);
  if (entry == threads_.end() || entry->second == std::pair(thread.process, thread.thread)) return;
  findings_->error("W3", "thread " + std::to_string(thread.index) + " is another one in another provider",
                   "Fuchsia's Rust reader and Tracy take the other one");
}

}  // namespace fxt
