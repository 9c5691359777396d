#include "converters/uftrace/events/thread_events.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "converters/model/reading/bits.h"
#include "converters/uftrace/recording/argument_names.h"
#include "fxt/support/budget.h"
#include "fxt/utf8.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
// The limit for cached addresses, because a thread can have any number of call sites and watched
// variables.
constexpr std::size_t kKnownAddresses = 65536;
// The text of each call site contains the name of a function or file. Longer names are cut.
constexpr fxt::Limit kSiteName{"characters of a call site's function or file", 300, 0};

std::string name_of_site(std::string_view name) {
  const std::string_view kept = fxt::cut_utf8(name, kSiteName.of(0));
  return kept.size() == name.size() ? std::string(name) : std::string(kept) + "…";
}

}  // namespace

bool ThreadEvents::emit(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data,
                        Lane* lane) {
  if (const KnownEvent* const event = find_event(id)) return emit_known(*event, time_ns, data, lane);
  if (id < kFirstUserEvent) return false;
  emit_user_event(id, time_ns, data, lane);
  return true;
}

bool ThreadEvents::emit_known(const KnownEvent& event, std::uint64_t time_ns, std::span<const std::byte> data,
                              Lane* lane) {
  if (data.size() < event.value_count() * kWord) return false;
  Names& names = context_.names;
  const auto add_values = [&](Arguments& into, auto typed) {
    for (std::size_t i = 0; i < event.value_count(); ++i)
      into.add({names.intern(event.values[i]),
                typed(load<std::uint64_t>(data.data() + i * kWord, context_.order))});
  };
  const auto tid = number_of(recorded(task_.tid));
  switch (event.kind) {
    case UftraceEventKind::ProcessCounter:
    case UftraceEventKind::ThreadCounter:
      add_values(values_, [](std::uint64_t value) { return value; });
      emit_counter(time_ns, names.intern(event.counter),
                   event.kind == UftraceEventKind::ThreadCounter ? tid : 0, lane);
      return true;
    case UftraceEventKind::Difference:
      add_values(for_exit_, [](std::uint64_t value) { return static_cast<std::int64_t>(value); });
      return true;
    case UftraceEventKind::CallSite:
      add_call_site(load<std::uint64_t>(data.data(), context_.order), time_ns);
      return true;
    case UftraceEventKind::WatchedCpu: {
      if (data.size() < sizeof(std::int32_t)) return false;
      const NameId cpu = names.intern(event.counter);
      values_.add({cpu, std::int64_t{load<std::int32_t>(data.data(), context_.order)}});
      emit_counter(time_ns, cpu, tid, lane);
      return true;
    }
    case UftraceEventKind::WatchedVariable:
      return emit_variable(time_ns, data, lane);
  }
  return false;
}

bool ThreadEvents::emit_variable(std::uint64_t time_ns, std::span<const std::byte> data, Lane* lane) {
  const std::size_t address_size = context_.word_size;
  if (data.size() <= address_size || data.size() > address_size + kWord) return false;
  const Variable& variable = variable_at(unsigned_bits(data.first(address_size), context_.order), time_ns);
  std::span<const std::byte> value = data.subspan(address_size);
  value = value.first(std::min(value.size(), variable.size));
  const std::uint64_t bits = unsigned_bits(value, context_.order);
  using Kind = ScalarType::Kind;
  // Guesses an unknown type. A single byte is usually a character, a flag or a small number, and rarely
  // negative. If the size is not a power of two, the variable is not a number. Its bytes are then shown as an
  // unsigned number.
  const Kind likely = value.size() > 1 && std::has_single_bit(value.size()) ? Kind::Signed : Kind::Unsigned;
  switch (value.size() == variable.size ? variable.kind.value_or(likely) : likely) {
    case Kind::Signed:
      values_.add({variable.name, static_cast<std::int64_t>(extended(bits, 8 * value.size(), true))});
      break;
    case Kind::Unsigned:
      values_.add({variable.name, bits});
      break;
    case Kind::Float:
      values_.add({variable.name, value.size() == sizeof(float)
                                      ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
                                      : std::bit_cast<double>(bits)});
      break;
  }
  emit_counter(time_ns, context_.names.intern("watch"), 0, lane);
  return true;
}

const ThreadEvents::Variable& ThreadEvents::variable_at(std::uint64_t address, std::uint64_t time_ns) {
  symbols_.move_to(time_ns);
  if (variables_.size() == kKnownAddresses) variables_.clear();
  const auto [known, is_new] = variables_.try_emplace({symbols_.epoch(), address});
  if (is_new) {
    Variable& variable = known->second;
    const SymbolAt at = symbols_.at(address);
    variable.name = context_.names.intern(at.symbol != nullptr ? demangle(at.symbol->name, context_.demangle)
                                                               : fmt::format("<{:x}>", address));
    if (at.symbol == nullptr) return variable;
    variable.size = static_cast<std::size_t>(at.symbol->end - at.symbol->start);
    if (const auto type = context_.symbolizer.images().type_of(at)) {
      variable.size = type->size;
      variable.kind = type->kind;
    }
  }
  return known->second;
}

// Adds the call site as an argument in uftrace's form: "main.c:60" if the line is known, "main+0x41" if only
// the function is known, otherwise the address.
void ThreadEvents::add_call_site(std::uint64_t address, std::uint64_t time_ns) {
  symbols_.move_to(time_ns);
  if (call_sites_.size() == kKnownAddresses) call_sites_.clear();
  const auto [known, is_new] = call_sites_.try_emplace({symbols_.epoch(), address});
  if (is_new) {
    const SymbolAt at = symbols_.at(address);
    if (at.symbol != nullptr && at.symbol->is_function()) {
      const auto line = context_.symbolizer.images().line_of(at, address);
      const std::uint64_t offset = address - at.image->base - at.symbol->start;
      const std::string from = offset == 0 ? "0" : fmt::format("{:#x}", offset);
      known->second = context_.names.intern(
          line ? fmt::format("{}:{}", name_of_site(line->file), line->line)
               : fmt::format("{}+{}", name_of_site(demangle(at.symbol->name, context_.demangle)), from));
    }
  }
  for_entry_.clear();
  const NameId name = context_.names.intern(kCallSite);
  if (known->second)
    for_entry_.add({name, *known->second});
  else
    for_entry_.add({name, Pointer{address}});
}

void ThreadEvents::emit_counter(std::uint64_t time_ns, NameId name, std::uint64_t id, Lane* lane) {
  if (lane != nullptr) lane->counter(time_ns, label(name), id, values_);
  values_.clear();
}

void ThreadEvents::emit_user_event(std::uint64_t id, std::uint64_t time_ns, std::span<const std::byte> data,
                                   Lane* lane) {
  const std::string* const name = context_.user_events.name_of(id);
  if (name != nullptr && (time_ns < registered_.from_ns || time_ns >= registered_.until_ns))
    registered_ = context_.user_events.add_use(task_, time_ns);
  if (!data.empty()) values_.add({context_.names.intern("data"), fmt::format("{:02x}", fmt::join(data, ""))});
  const NameId shown = context_.names.intern(name != nullptr ? *name : fmt::format("event:{}", id));
  if (lane != nullptr) {
    lane->keep_open();
    lane->instant(time_ns, label(shown), values_);
  }
  values_.clear();
}

void ThreadEvents::add_to_entry(Arguments& arguments) {
  arguments.add(for_entry_.row());
  forget();
}

void ThreadEvents::add_to_exit(Arguments& arguments) {
  arguments.add(for_exit_.row());
  forget();
}

}  // namespace convert::uftrace
