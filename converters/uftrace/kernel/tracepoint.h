// The kernel's tracepoints: their formats are turned into a plan for each of them once; many threads then
// decode events by it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_format.h"

namespace convert::uftrace {

// How a field becomes an argument.
struct FieldPlan {
  enum class Form : std::uint8_t { Number, Pointer, Text, Elements, Bytes };
  NameId name{};
  NameId symbol_name{};  // of a second argument: the symbol that a pointer points at
  Form form = Form::Number;
  EventField::Storage storage = EventField::Storage::Inline;
  std::size_t offset = 0, size = 0;
  std::size_t element_bytes = 1;  // of Elements
  bool is_signed = false;
  PrintedField printed = {};
};

struct Tracepoint {
  LabelId label{};
  std::uint16_t id = 0;
  std::vector<FieldPlan> fields = {};  // without the common ones
  // Threads that the event is about, besides the one that it happened in.
  IntegerField next_thread = {}, thread = {};
  // Of sched_switch only.
  IntegerField previous_thread = {}, previous_state = {}, previous_priority = {}, next_priority = {};
  bool shows_cpu = false;  // of a switch or wakeup: where it happened, which no field says
  // Of wakeups only, and only in recordings with sched_switch: without it, waiting threads are not known.
  IntegerField woken_thread = {};
};

class Tracepoints {
 public:
  // Borrows the symbols, which may be null.
  Tracepoints(const KernelHeader& header, const SymbolTable* symbols, Names& names);
  Tracepoints(const Tracepoints&) = delete;
  Tracepoints& operator=(const Tracepoints&) = delete;

  // Null for an event of another kind.
  const Tracepoint* find(std::uint64_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &tracepoints_[found->second];
  }
  // Appends the event's fields to `values`, but for those that lie outside its payload. `text` is a buffer.
  void add_values(const Tracepoint& tracepoint, std::span<const std::byte> payload, std::string& text,
                  Arguments& values) const;

 private:
  void add_value(const FieldPlan& field, const EventBytes& event, std::string& text, Arguments& values) const;

  std::endian order_;
  const SymbolTable* symbols_;
  std::vector<Tracepoint> tracepoints_;
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
};

}  // namespace convert::uftrace
