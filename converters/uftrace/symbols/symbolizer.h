// Converts an address in a record to the label of a call. The label's category is the module, and its name is
// the symbol. Other code gets symbols only from this class. Safe to use from several threads. TaskSymbols
// uses a Symbolizer for the records of one task.
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

// A span [from_ns, until_ns) in which the meaning of a task's addresses does not change. It ends at the next
// exec or load of a library. In spans with the same epoch, equal addresses have equal labels.
struct SymbolSpan {
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  std::uint32_t epoch = 0;  // a number from 0 up
  LoadedSpace loaded = {};
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
  LabelId label(const SymbolSpan& span, std::uint64_t address);
  // Finds the labels of up to kLabelsAtOnce addresses. This is much faster than label() for each address,
  // because the data of functions are far from each other in memory, and are prefetched.
  static constexpr std::size_t kLabelsAtOnce = CallLabels::kAtOnce;
  void label(const SymbolSpan& span, std::span<const std::uint64_t> addresses, std::span<LabelId> labels);
  LabelId kernel_label(std::uint64_t address);
  SymbolAt at(const SymbolSpan& span, std::uint64_t address) { return images_.at(span.loaded, address); }
  // For data that do not depend on the time, such as the parameters and the source line of a function.
  Images& images() { return images_; }
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables() { return images_.tables(sessions_); }
  // True if a function may be at the address in any program of the task, at any time: in a module, a loaded
  // library or the kernel. True for all addresses if a program has no map.
  bool is_code(const Task& task, std::uint64_t address);

  // The common budget for the address caches of all threads and workers.
  CacheBudget& cache_budget() { return cache_budget_; }

  // Must be called after the last request, because some notes are known only then.
  void add_notes();

 private:
  std::mutex mutex_;  // locked by threads when their caches lack an address
  const Directory& directory_;
  const Sessions& sessions_;
  Notes& notes_;
  Images images_;
  CallLabels labels_;
  CacheBudget cache_budget_{std::size_t{32} << 20};  // sufficient for two million labels
  std::map<std::pair<const AddressSpace*, std::size_t>, std::uint32_t> epochs_;  // indexed by loaded images
};

}  // namespace convert::uftrace
