// The kernel's tracepoints. Each event format is converted once to a plan. With this plan, many threads then
// decode events.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "converters/model/lanes/event.h"
#include "converters/model/names/names.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_format.h"
#include "fxt/hash.h"

namespace convert::uftrace {

// A plan for converting the field of an event to an argument.
struct FieldPlan {
  enum class Form : std::uint8_t { Number, Pointer, Text, Elements, Bytes };
  NameId name{};
  NameId symbol_name{};  // name of a second argument: the function into which a pointer points
  Form form = Form::Number;
  EventField::Storage storage = EventField::Storage::Inline;
  std::size_t offset = 0, size = 0;
  std::size_t element_bytes = 1;
  bool is_signed = false;
  PrintedField printed = {};
};

struct Tracepoint {
  LabelId label{};
  std::uint16_t id = 0;
  std::vector<FieldPlan> fields = {};  // without the common fields
  // Fields with the threads that the event is about. The event may happen in another thread.
  IntegerField next_thread = {}, thread = {};
  IntegerField previous_thread = {}, previous_state = {}, previous_priority = {}, next_priority = {};
  bool shows_cpu = false;  // true for a switch or wakeup, if no field has the CPU
  // The field with the thread that is woken. Only for wakeups, and only in recordings with sched_switch.
  // Without sched_switch, it is unknown which threads were waiting.
  IntegerField woken_thread = {};
};

class Tracepoints {
 public:
  // `symbols` may be null.
  Tracepoints(const KernelHeader& header, const SymbolTable* symbols, Names& names);
  Tracepoints(const Tracepoints&) = delete;
  Tracepoints& operator=(const Tracepoints&) = delete;

  // Returns null if no tracepoint has this id.
  const Tracepoint* find(std::uint64_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &tracepoints_[found->second];
  }
  // Appends the fields of the event to `values`. Ignores fields outside of the payload. `text` is a buffer
  // whose memory is reused.
  void add_values(const Tracepoint& tracepoint, std::span<const std::byte> payload, std::string& text,
                  Arguments& values) const;

 private:
  // `text_left` is the number of bytes that are left for texts that replace numbers.
  void add_value(const FieldPlan& field, const EventBytes& event, std::size_t& text_left, std::string& text,
                 Arguments& values) const;

  std::endian order_;
  const SymbolTable* symbols_;
  std::vector<Tracepoint> tracepoints_;
  fxt::SeededMap<std::uint64_t, std::size_t> by_id_;
};

}  // namespace convert::uftrace
