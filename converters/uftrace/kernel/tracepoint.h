// The kernel's tracepoints: what their formats say is turned into a plan for each, once; many threads then
// take events apart by it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "converters/model/lanes/argument.h"
#include "converters/model/names/names.h"
#include "converters/symbols/symbol_table.h"
#include "converters/uftrace/kernel/integer_field.h"
#include "converters/uftrace/kernel/kernel_header.h"
#include "converters/uftrace/kernel/print_format.h"

namespace convert::uftrace {

// How a field becomes an argument.
struct FieldPlan {
  enum class Form : std::uint8_t { Number, Pointer, Text, Elements, Bytes };
  NameId name{};
  NameId symbol_name{};  // of the symbol that it points at
  Form form = Form::Number;
  EventField::Where where = EventField::Where::Here;
  std::size_t offset = 0, size = 0;  // of the field
  std::size_t element_bytes = 1;     // of Elements
  bool is_signed = false;
  PrintedField printed = {};
};

// Whom an event is about, besides the thread that it happened in.
struct Subjects {
  IntegerField next_thread, thread;
};
Subjects subjects_of(const EventFormat& format);

struct Tracepoint {
  LabelId label{};
  std::uint16_t id = 0;
  std::vector<FieldPlan> fields = {};  // the common ones are left out
  Subjects subjects = {};
  IntegerField previous_thread = {}, previous_state = {};  // of sched_switch alone
  IntegerField woken_thread =
      {};  // of wakeups alone, where there are switches: without, nobody knows who waits
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
  // Adds what the event holds. `text` is room for it. What lies outside the event is left out.
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
