// The symbols of one task at one time. All labels and symbols for the records of a task come from here. Each
// worker has its own caches of labels, which need no lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "converters/uftrace/symbols/label_cache.h"
#include "converters/uftrace/symbols/symbolizer.h"

namespace convert::uftrace {

class FunctionLines {
 public:
  virtual ~FunctionLines() = default;
  // Returns the "file:line" of the function, or CallLabel::kNoLine if the line is unknown.
  virtual NameId line_of(const SymbolAt& function) = 0;
};

class TaskSymbols {
 public:
  // `lines` may be null.
  TaskSymbols(Symbolizer& symbolizer, const Task& task, FunctionLines* lines = nullptr)
      : symbolizer_(symbolizer), task_(task), lines_(lines) {}
  TaskSymbols(const TaskSymbols&) = delete;
  TaskSymbols& operator=(const TaskSymbols&) = delete;

  // Sets the time for all requests from now on. Returns true if addresses may have another meaning than
  // before. Then the caller must drop all data that it has cached by address.
  bool move_to(std::uint64_t time_ns) {
    if (span_.from_ns <= time_ns && time_ns < span_.until_ns) return false;
    span_ = symbolizer_.span_at(task_, time_ns);
    if (caches_ != nullptr) cache_ = &caches_->of(span_.epoch, symbolizer_.cache_budget());
    return true;
  }
  // The time until which the meaning of addresses does not change; 0 before the first move_to().
  std::uint64_t until_ns() const { return span_.until_ns; }
  // If two times have the same epoch, addresses have the same meaning at both times, even in different tasks.
  // So the epoch can be a key for caches.
  std::uint32_t epoch() const { return span_.epoch; }

  // Sets the caches for later results. The caches belong to the worker that pumps the thread.
  void use_caches(LabelCaches& caches) {
    caches_ = &caches;
    cache_ = span_.until_ns != 0 ? &caches.of(span_.epoch, symbolizer_.cache_budget()) : nullptr;
  }
  // Null before the first move_to(), or without caches.
  const LabelCache* cache() const { return cache_; }

  // The following functions may be called only after move_to().

  // Returns the label of a call at the address, as CallLabels makes it.
  LabelId label(std::uint64_t address) const {
    return cache_ != nullptr ? call_label(address).label : symbolizer_.label(span_, address);
  }
  // Returns the label, and the line of the function. Needs caches.
  const CallLabel& call_label(std::uint64_t address) const {
    if (const CallLabel* const known = cache_->find(address)) return *known;
    return put(address, symbolizer_.label(span_, address));
  }
  // Caches the labels of up to Symbolizer::kLabelsAtOnce addresses. None of them may be cached yet. Needs
  // caches.
  void cache_labels(std::span<const std::uint64_t> addresses) const {
    std::array<LabelId, Symbolizer::kLabelsAtOnce> labels;
    symbolizer_.label(span_, addresses, labels);
    for (std::size_t i = 0; i < addresses.size(); ++i) put(addresses[i], labels.at(i));
  }
  SymbolAt at(std::uint64_t address) const { return symbolizer_.at(span_, address); }
  // The current address space; null if it is unknown.
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
  LabelCaches* caches_ = nullptr;
  LabelCache* cache_ = nullptr;  // cache of the current epoch
};

}  // namespace convert::uftrace
