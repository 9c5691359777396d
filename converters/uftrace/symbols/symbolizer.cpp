#include "converters/uftrace/symbols/symbolizer.h"

#include <algorithm>
#include <array>

namespace convert::uftrace {

SymbolSpan Symbolizer::span_at(const Task& task, std::uint64_t time_ns) {
  const SessionSpan session = sessions_.session_at(task, time_ns);
  SymbolSpan span{.from_ns = session.from_ns, .until_ns = session.until_ns};
  const AddressSpace* const space = session.session != nullptr ? session.session->space : nullptr;
  const std::size_t libraries = space != nullptr ? space->libraries_at(time_ns) : 0;
  if (libraries > 0) span.from_ns = std::max(span.from_ns, space->libraries[libraries - 1].time_ns);
  if (space != nullptr && libraries < space->libraries.size())
    span.until_ns = std::min(span.until_ns, space->libraries[libraries].time_ns);
  span.loaded = {.space = space, .libraries = libraries};
  const std::lock_guard lock(mutex_);
  span.epoch =
      epochs_.try_emplace({space, libraries}, static_cast<std::uint32_t>(epochs_.size())).first->second;
  return span;
}

bool Symbolizer::is_code(const Task& task, std::uint64_t address) {
  const auto spaces = sessions_.spaces_of(task);
  return spaces.empty() || std::ranges::any_of(spaces, [&](const AddressSpace* space) {
           return space == nullptr || space->map.modules.empty() ||
                  images_.at({.space = space, .libraries = space->libraries.size()}, address).image !=
                      nullptr;
         });
}

LabelId Symbolizer::label(const SymbolSpan& span, std::uint64_t address) {
  LabelId label{};
  this->label(span, {&address, 1}, {&label, 1});
  return label;
}

void Symbolizer::label(const SymbolSpan& span, std::span<const std::uint64_t> addresses,
                       std::span<LabelId> labels) {
  std::array<SymbolAt, kLabelsAtOnce> found;
  images_.at(span.loaded, addresses, found);
  const std::lock_guard lock(mutex_);
  labels_.find(span.loaded.space, addresses, found, labels);
}

LabelId Symbolizer::kernel_label(std::uint64_t address) {
  const SymbolAt found = images_.kernel_at(address);
  LabelId label{};
  const std::lock_guard lock(mutex_);
  labels_.find(nullptr, {&address, 1}, {&found, 1}, {&label, 1});
  return label;
}

void Symbolizer::add_notes() {
  images_.add_notes();
  labels_.add_notes(directory_, notes_);
}

}  // namespace convert::uftrace
