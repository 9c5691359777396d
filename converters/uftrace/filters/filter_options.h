// The options that choose which functions and calls are shown: -F, -N, -C, -H, -T, -L, -D, -t, -Z and the
// like.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converters/model/option.h"
#include "converters/symbols/name_pattern.h"
#include "converters/uftrace/filters/filter_item.h"
#include "converters/uftrace/filters/pattern_report.h"

namespace convert::uftrace {

struct FilterOptions {
  std::vector<FilterItem> items = {};  // in the order of the command line
  PatternKind match = PatternKind::Regex;
  bool starts_tracing = true;               // before any trace_on or trace_off
  std::optional<std::uint32_t> depth = {};  // number of levels that are shown
  std::uint64_t time_ns = 0;                // shortest call that is shown
  std::uint64_t size = 0;                   // smallest function that is shown, in bytes
  bool no_libcall = false;                  // calls through the PLT are hidden
  // Shared by all inputs.
  std::shared_ptr<PatternReport> report = std::make_shared<PatternReport>();

  bool any() const {
    return !items.empty() || !starts_tracing || depth || time_ns != 0 || size != 0 || no_libcall;
  }
  bool has(FilterItem::Option option) const;
};

// The options of the command line, which write into `options`; it must not move.
std::vector<Option> options_of(FilterOptions& options);

}  // namespace convert::uftrace
