#include "converters/uftrace/kernel/graph_formats.h"

#include <algorithm>
#include <array>
#include <limits>

namespace convert::uftrace {
namespace {

// Since 6.13 there is an event of its own for entries that tell where they were called from.
constexpr std::array<std::string_view, 2> kEntries{"funcgraph_entry", "fgraph_retaddr_entry"};
constexpr std::array<std::string_view, 2> kCallers{"retaddr", "graph_retaddr"};

}  // namespace

IntegerField place_of(const EventFormat& format, std::string_view name) {
  const EventField* const field = format.find(name);
  if (field == nullptr || field->is_array || field->where != EventField::Where::Here) return {};
  const bool is_number = field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8;
  if (!is_number || field->offset > std::numeric_limits<std::uint16_t>::max()) return {};
  return {.offset = static_cast<std::uint32_t>(field->offset),
          .size = static_cast<std::uint8_t>(field->size)};
}

GraphFormats::GraphFormats(const KernelHeader& header) {
  for (const EventFormat& format : header.formats) {
    const bool is_entry = std::ranges::count(kEntries, format.name) != 0;
    if (format.system != "ftrace" || (!is_entry && format.name != "funcgraph_exit")) continue;
    GraphFormat graph{.id = format.id,
                      .is_entry = is_entry,
                      .function = place_of(format, "func"),
                      .depth = place_of(format, "depth")};
    if (!graph.function.is_there()) continue;
    if (!is_entry) graph.value = place_of(format, "retval");
    for (const std::string_view caller : kCallers)
      if (is_entry && !graph.value.is_there()) graph.value = place_of(format, caller);
    formats_.push_back(graph);
  }
}

CommonFields::CommonFields(const KernelHeader& header) {
  if (header.formats.empty()) return;
  const auto take = [&](IntegerField& place, std::string_view name) {
    if (const IntegerField own = place_of(header.formats.front(), name); own.is_there()) place = own;
  };
  take(type, "common_type");
  take(flags, "common_flags");
  take(thread, "common_pid");
}

}  // namespace convert::uftrace
