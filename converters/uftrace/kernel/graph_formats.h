// The events of the kernel's function graph tracer, and the fields that all events have: where the recorded
// kernel's formats put them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "converters/uftrace/kernel/kernel_header.h"

namespace convert::uftrace {

// An entry into a kernel function, or an exit.
struct GraphFormat {
  std::uint16_t id;
  bool is_entry;
  IntegerField function, depth;
  IntegerField value = {};  // of an entry the return address; of an exit the return value

  bool fits(std::span<const std::byte> payload) const {
    return function.fits(payload) && (!depth.exists() || depth.fits(payload));
  }
};

class GraphFormats {
 public:
  explicit GraphFormats(const KernelHeader& header) {
    for (const EventFormat& format : header.formats)
      if (format.system == "ftrace") add(format);
  }

  // Null for an event of another kind.
  const GraphFormat* find(std::uint64_t id) const {
    for (const GraphFormat& format : formats_)
      if (format.id == id) return &format;
    return nullptr;
  }

 private:
  void add(const EventFormat& format) {
    // Since 6.13, entries with a return address are events of their own.
    constexpr std::array<std::string_view, 2> kEntries{"funcgraph_entry", "fgraph_retaddr_entry"};
    const bool is_entry = std::ranges::count(kEntries, format.name) != 0;
    if (!is_entry && format.name != "funcgraph_exit") return;
    GraphFormat graph{.id = format.id,
                      .is_entry = is_entry,
                      .function = format.integer("func"),
                      .depth = format.integer("depth")};
    if (!graph.function.exists()) return;
    graph.value = format.integer(is_entry ? "retaddr" : "retval");
    if (is_entry && !graph.value.exists()) graph.value = format.integer("graph_retaddr");
    formats_.push_back(graph);
  }

  std::vector<GraphFormat> formats_;  // two or three
};

// The fields that every event begins with.
struct CommonFields {
  explicit CommonFields(const KernelHeader& header) {
    if (header.formats.empty()) return;
    const auto replace = [&](IntegerField& field, std::string_view name) {
      if (const IntegerField own = header.formats.front().integer(name); own.exists()) field = own;
    };
    replace(type, "common_type");
    replace(flags, "common_flags");
    replace(thread, "common_pid");
  }

  IntegerField type{.offset = 0, .size = 2};
  IntegerField flags{.offset = 2, .size = 1};
  IntegerField thread{.offset = 4, .size = 4};

  bool fit(std::span<const std::byte> payload) const { return type.fits(payload) && thread.fits(payload); }
};

}  // namespace convert::uftrace
