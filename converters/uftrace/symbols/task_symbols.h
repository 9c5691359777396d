// The symbols of one task at one time. All labels and symbols of addresses in a task's
// records come from here. Labels are cached per worker, so that a known label costs no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

// Finds where functions stand in the source.
class FunctionLines {
 public:
  virtual ~FunctionLines() = default;
  // "file:line" of the function; CallLabel::kNoLine if it is not known.
  virtual NameId line_of(const SymbolAt& function) = 0;
};

class TaskSymbols {
 public:
  // Borrows all; `lines` may be null.
  TaskSymbols(Symbolizer& symbolizer, const Task& task, FunctionLines* lines = nullptr)
      : symbolizer_(symbolizer), task_(task), lines_(lines) {}
  TaskSymbols(const TaskSymbols&) = delete;
  TaskSymbols& operator=(const TaskSymbols&) = delete;

  // Answers are for this time from now on. True if addresses may mean something else than before: then the
  // caller forgets what it has cached by address.
  bool move_to(std::uint64_t time_ns) {
    if (span_.from_ns <= time_ns && time_ns < span_.until_ns) return false;
    span_ = symbolizer_.span_at(task_, time_ns);
    if (caches_ != nullptr) cache_ = &caches_->of(span_.epoch, symbolizer_.cache_budget());
    return true;
  }
  // Addresses keep their meaning until then; 0 before the first move_to().
  std::uint64_t until_ns() const { return span_.until_ns; }
  // Counts up from 0. Equal epochs give equal answers, whatever the task: a key for caches.
  std::uint32_t epoch() const { return span_.epoch; }

  // From now on answers are cached in these caches, which belong to the worker that pumps the thread.
  void use_caches(LabelCaches& caches) {
    caches_ = &caches;
    cache_ = span_.until_ns != 0 ? &caches.of(span_.epoch, symbolizer_.cache_budget()) : nullptr;
  }
  // Null before the first move_to(), or without caches.
  const LabelCache* cache() const { return cache_; }

  // All of these need a move_to() before.

  // The label of a call at that address, as CallLabels makes it.
  LabelId label(std::uint64_t address) const {
    return cache_ != nullptr ? call_label(address).label : symbolizer_.label(span_, address);
  }
  // The label, and the function's line. Needs caches.
  const CallLabel& call_label(std::uint64_t address) const {
    if (const CallLabel* const known = cache_->find(address)) return *known;
    return put(address, symbolizer_.label(span_, address));
  }
  // Caches the labels of all these, of which none is cached; at most Symbolizer::kLabelsAtOnce. Needs caches.
  void cache_labels(std::span<const std::uint64_t> addresses) const {
    std::array<LabelId, Symbolizer::kLabelsAtOnce> labels;
    symbolizer_.label(span_, addresses, labels);
    for (std::size_t i = 0; i < addresses.size(); ++i) put(addresses[i], labels.at(i));
  }
  SymbolAt at(std::uint64_t address) const { return symbolizer_.at(span_, address); }
  // Null if none is known.
  const AddressSpace* space() const { return span_.loaded.space; }

 private:
  const CallLabel& put(std::uint64_t address, LabelId label) const {
    return cache_->put(
        address,
        {.label = label, .line = lines_ != nullptr ? lines_->line_of(at(address)) : CallLabel::kNoLine});
  }

  Symbolizer& symbolizer_;
  const Task& task_;
  FunctionLines* lines_;
  SymbolSpan span_ = {};
  LabelCaches* caches_ = nullptr;  // of the worker
  LabelCache* cache_ = nullptr;    // the one of the epoch
};

}  // namespace convert::uftrace
