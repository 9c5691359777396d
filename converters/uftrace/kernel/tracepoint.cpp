#include "converters/uftrace/kernel/tracepoint.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "converters/model/reading/text.h"
#include "converters/uftrace/symbols/images.h"

namespace convert::uftrace {
namespace {

constexpr std::size_t kMaxElements = 64;  // how many elements of an array, or bytes of a value, are shown
// Limits the total size of the texts that replace numbers in one event. Otherwise, a few bytes could become
// very long texts.
constexpr std::size_t kMaxPrintedText = 1024;

// A wakeup has two events: sched_waking in the waker, and sched_wakeup on the CPU where the thread will run.
constexpr std::array<std::string_view, 3> kWakeups{"sched:sched_waking", "sched:sched_wakeup",
                                                   "sched:sched_wakeup_new"};

// The bits of a word in a __data_loc or __rel_loc field.
struct DataLocation {
  using Offset = fxt::Field<0, 15>;
  using Size = fxt::Field<16, 31>;
};

// A damaged format may repeat a name. Only the first field with such a name is shown, because viewers keep
// one argument per name.
bool is_first_of_its_name(const EventField& field, const EventFormat& format) {
  return &*std::ranges::find(format.fields, field.name, &EventField::name) == &field;
}

bool is_character(std::string_view type) {
  for (const std::string_view prefix : {"__data_loc ", "__rel_loc ", "const ", "unsigned ", "signed "})
    if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
  return type.starts_with("char");
}

// Returns the size of an array's elements, according to their declared type.
std::size_t element_bytes(std::string_view type, std::size_t long_bytes) {
  for (const std::string_view prefix : {"__data_loc ", "__rel_loc ", "const "})
    if (type.starts_with(prefix)) type.remove_prefix(prefix.size());
  type = type.substr(0, type.find('['));
  const auto has = [type](std::string_view word) { return type.find(word) != std::string_view::npos; };
  if (has("8") || has("char") || has("bool")) return 1;
  if (has("64") || has("long long") || has("*")) return 8;
  if (has("16") || has("short")) return 2;
  if (has("long") || has("size_t")) return long_bytes;
  return 4;
}

FieldPlan plan_of(const EventField& field, const PageLayout& pages, PrintedField printed, Names& names) {
  using Form = FieldPlan::Form;
  FieldPlan plan{.name = names.intern(field.name),
                 .symbol_name = names.intern(field.name + " symbol"),
                 .storage = field.storage,
                 .offset = field.offset,
                 .size = field.size,
                 .element_bytes = element_bytes(field.type, pages.long_bytes),
                 .is_signed = field.is_signed,
                 .printed = std::move(printed)};
  const bool is_pointer = field.type.ends_with('*') || plan.printed.is_pointer || plan.printed.is_symbol;
  const bool is_array = field.is_array || field.storage != EventField::Storage::Inline;
  const bool is_number = std::has_single_bit(field.size) && field.size <= sizeof(std::uint64_t);
  if (is_array)
    plan.form = is_character(field.type) ? Form::Text : Form::Elements;
  else if (!is_number)
    plan.form = Form::Bytes;
  else if (is_pointer)
    plan.form = Form::Pointer;
  return plan;
}

// Returns the bytes of the field's value, or nothing if they are outside of the payload.
std::optional<std::span<const std::byte>> bytes_of(const FieldPlan& field, const EventBytes& event) {
  std::size_t offset = field.offset, size = field.size;
  const std::span<const std::byte> payload = event.payload;
  if (offset > payload.size() || size > payload.size() - offset) return std::nullopt;
  if (field.storage != EventField::Storage::Inline) {
    if (size < sizeof(std::uint32_t)) return std::nullopt;
    const auto word = load<std::uint32_t>(payload.data() + offset, event.order);
    const bool is_relative = field.storage == EventField::Storage::RelativeLocation;
    offset = DataLocation::Offset::get(word) + (is_relative ? offset + sizeof(word) : 0);
    size = DataLocation::Size::get(word);
    if (offset > payload.size() || size > payload.size() - offset) return std::nullopt;
  }
  return payload.subspan(offset, size);
}

void append_elements(const FieldPlan& field, std::span<const std::byte> bytes, std::endian order,
                     std::string& text) {
  const std::size_t count = bytes.size() / field.element_bytes;
  for (std::size_t i = 0; i < std::min(count, kMaxElements); ++i) {
    const std::uint64_t value =
        unsigned_bits(bytes.subspan(i * field.element_bytes, field.element_bytes), order);
    if (i != 0) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", value);
  }
  if (count > kMaxElements) text += ",...";
}

void append_bytes(std::span<const std::byte> bytes, std::string& text) {
  for (const std::byte byte : bytes.first(std::min(bytes.size(), kMaxElements)))
    fmt::format_to(std::back_inserter(text), "{:02x}", std::to_integer<unsigned>(byte));
  if (bytes.size() > kMaxElements) text += "...";
}

void add_number(const FieldPlan& field, std::uint64_t value, Arguments& values) {
  if (field.is_signed)
    values.add({field.name, static_cast<std::int64_t>(extended(value, 8 * field.size, true))});
  else
    values.add({field.name, value});
}

}  // namespace

Tracepoints::Tracepoints(const KernelHeader& header, const SymbolTable* symbols, Names& names)
    : order_(header.pages.order), symbols_(symbols) {
  const std::vector<GraphFormat> calls = graph_formats_of(header);
  const bool has_switches = std::ranges::any_of(header.formats, [](const EventFormat& format) {
    return format.system == "sched" && format.name == "sched_switch";
  });
  for (const EventFormat& format : header.formats) {
    if (std::ranges::count(calls, format.id, &GraphFormat::id) != 0 || by_id_.contains(format.id)) continue;
    const std::string name = format.system + ":" + format.name;
    Tracepoint tracepoint{.label = names.intern_label("event", name),
                          .id = format.id,
                          .next_thread = format.integer("next_pid"),
                          .thread = format.integer("pid")};
    if (name == "sched:sched_switch") {
      tracepoint.previous_thread = format.integer("prev_pid");
      tracepoint.previous_state = format.integer("prev_state");
      tracepoint.previous_priority = format.integer("prev_prio");
      tracepoint.next_priority = format.integer("next_prio");
    }
    if (has_switches && std::ranges::count(kWakeups, name) != 0) tracepoint.woken_thread = tracepoint.thread;
    tracepoint.shows_cpu = (tracepoint.previous_thread.exists() || tracepoint.woken_thread.exists()) &&
                           std::ranges::count(format.fields, "cpu", &EventField::name) == 0;
    auto printed = printed_fields(format);
    for (const EventField& field : format.fields)
      if (!field.name.starts_with("common_") && is_first_of_its_name(field, format))
        tracepoint.fields.push_back(plan_of(field, header.pages, std::move(printed[field.name]), names));
    by_id_.emplace(format.id, tracepoints_.size());
    tracepoints_.push_back(std::move(tracepoint));
  }
}

void Tracepoints::add_values(const Tracepoint& tracepoint, std::span<const std::byte> payload,
                             std::string& text, Arguments& values) const {
  std::size_t text_left = kMaxPrintedText;
  for (const FieldPlan& field : tracepoint.fields)
    add_value(field, {.payload = payload, .order = order_}, text_left, text, values);
}

void Tracepoints::add_value(const FieldPlan& field, const EventBytes& event, std::size_t& text_left,
                            std::string& text, Arguments& values) const {
  using Form = FieldPlan::Form;
  const auto bytes = bytes_of(field, event);
  if (!bytes) return;
  const auto& parts = field.printed.parts;
  const auto is_shown = [&](const PrintExpression& part) {
    return part.append_text(event, text) && text.size() <= text_left;
  };
  text.clear();
  if (!parts.empty() && std::ranges::all_of(parts, is_shown) && !text.empty()) {
    text_left -= text.size();
    values.add({field.name, text});
    return;
  }
  text.clear();
  switch (field.form) {
    case Form::Number:
      add_number(field, unsigned_bits(bytes->first(field.size), event.order), values);
      return;
    case Form::Pointer: {
      const std::uint64_t address = unsigned_bits(bytes->first(field.size), event.order);
      values.add({field.name, Pointer{address}});
      const bool has_symbol = field.printed.is_symbol && symbols_ != nullptr;
      const Symbol* const function = has_symbol ? find_kernel_function(*symbols_, address) : nullptr;
      if (function == nullptr || function->name.size() > text_left) return;
      text_left -= function->name.size();
      values.add({field.symbol_name, function->name});
      return;
    }
    case Form::Text: {
      const std::string_view all(reinterpret_cast<const char*>(bytes->data()), bytes->size());
      values.add({field.name, shown_string(std::string(all.substr(0, all.find('\0'))))});
      return;
    }
    case Form::Elements:
      append_elements(field, *bytes, event.order, text);
      values.add({field.name, text});
      return;
    case Form::Bytes:
      append_bytes(*bytes, text);
      values.add({field.name, text});
      return;
  }
}

}  // namespace convert::uftrace
