// Converts an address in a record to the label of a call, with the module as category and the symbol as name.
// This is the interface of the symbol files. Safe to use from several threads; TaskSymbols uses it for the
// records of one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/symbols/demangle.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/recording/directory.h"
#include "converters/uftrace/recording/sessions.h"
#include "converters/uftrace/symbols/call_labels.h"
#include "converters/uftrace/symbols/elf_files.h"
#include "converters/uftrace/symbols/images.h"
#include "converters/uftrace/symbols/label_cache.h"

namespace convert::uftrace {

// The span [from_ns, until_ns) in which the addresses of a task keep their meaning: until its next exec, or
// the next library that its program loads. In spans with the same epoch, equal addresses have equal labels.
struct SymbolSpan {
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  std::uint32_t epoch = 0;  // counts up from 0
  LoadedSpace loaded = {};  // the loaded images
};

// Safe to use from several threads. Callers cache the results.
class Symbolizer {
 public:
  Symbolizer(const Directory& directory, const Sessions& sessions, Demangle demangle, Names& names,
             Notes& notes, const ElfOptions& options = {})
      : directory_(directory),
        sessions_(sessions),
        notes_(notes),
        images_(directory, options, notes),
        labels_(demangle, names) {}
  Symbolizer(const Symbolizer&) = delete;
  Symbolizer& operator=(const Symbolizer&) = delete;

  SymbolSpan span_at(const Task& task, std::uint64_t time_ns);
  // The label of a call at that address.
  LabelId label(const SymbolSpan& span, std::uint64_t address);
  // Returns the labels of up to kLabelsAtOnce addresses. This is much faster for many functions, because
  // their data are spread over memory and are prefetched together.
  static constexpr std::size_t kLabelsAtOnce = CallLabels::kAtOnce;
  void label(const SymbolSpan& span, std::span<const std::uint64_t> addresses, std::span<LabelId> labels);
  // The label of a kernel call.
  LabelId kernel_label(std::uint64_t address);
  SymbolAt at(const SymbolSpan& span, std::uint64_t address) { return images_.at(span.loaded, address); }
  // Data that do not depend on the time.
  Images& images() { return images_; }
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables() { return images_.tables(sessions_); }
  // True if there may be a function at the address in any program of the task, at any time. This is true for
  // modules, loaded libraries and the kernel, and if no map has the address.
  bool is_code(const Task& task, std::uint64_t address);

  // The budget for all caches of addresses, of all threads and workers.
  CacheBudget& cache_budget() { return cache_budget_; }

  // Must be called at the end, because some notes are known only then.
  void add_notes();

 private:
  std::mutex mutex_;  // used by threads when their caches miss
  const Directory& directory_;
  const Sessions& sessions_;
  Notes& notes_;
  Images images_;
  CallLabels labels_;
  CacheBudget cache_budget_{std::size_t{32} << 20};  // enough for two million labels
  std::map<std::pair<const AddressSpace*, std::size_t>, std::uint32_t> epochs_;  // by the loaded images
};

}  // namespace convert::uftrace
