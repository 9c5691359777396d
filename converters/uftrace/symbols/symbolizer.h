// From an address in a record to the label of a call: module as category, symbol as name. The front door of
// the symbol files. Safe to use from several threads; TaskSymbols uses it for the records of one task.
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

// The addresses of a task's records keep their meaning in [from_ns, until_ns): until its next exec, or the
// next library that its program loads. Spans of one epoch give equal labels for equal addresses.
struct SymbolSpan {
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = 0;
  std::uint32_t epoch = 0;  // counts up from 0
  LoadedSpace loaded = {};  // what the addresses mean
};

// Safe to use from several threads; callers cache what they got.
class Symbolizer {
 public:
  // Borrows everything for its whole life.
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
  // The same for up to kLabelsAtOnce addresses. Much faster where functions are many: what is known of them
  // lies all over memory, and is fetched at one time.
  static constexpr std::size_t kLabelsAtOnce = CallLabels::kAtOnce;
  void label(const SymbolSpan& span, std::span<const std::uint64_t> addresses, std::span<LabelId> labels);
  // The label of a call of the kernel.
  LabelId kernel_label(std::uint64_t address);
  SymbolAt at(const SymbolSpan& span, std::uint64_t address) { return images_.at(span.loaded, address); }
  // What is known whatever the time.
  Images& images() { return images_; }
  std::vector<std::pair<std::string_view, const SymbolTable*>> tables() { return images_.tables(sessions_); }
  // True if a function may lie there, in any program that the task runs, ran or will run: in a module, a
  // loaded library or the kernel, or if no map has the address.
  bool is_code(const Task& task, std::uint64_t address);

  // Of all caches by address, whatever the thread and the worker.
  CacheBudget& cache_budget() { return cache_budget_; }

  // At the end: what is known only then.
  void add_notes();

 private:
  std::mutex mutex_;  // threads come here when their caches miss
  const Directory& directory_;
  const Sessions& sessions_;
  Notes& notes_;
  Images images_;
  CallLabels labels_;
  CacheBudget cache_budget_{std::size_t{32} << 20};                              // two million labels
  std::map<std::pair<const AddressSpace*, std::size_t>, std::uint32_t> epochs_;  // of what is loaded
};

}  // namespace convert::uftrace
