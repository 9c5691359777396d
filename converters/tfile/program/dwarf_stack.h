// The stack of numbers on which DWARF operations work. Runs the operations that need only these numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <vector>

#include "converters/tfile/actions/bytecode.h"

namespace convert::tfile {

// The type of an integer on the stack. A number without a type is as wide as an address.
struct StackType {
  std::uint64_t size = 0;  // in bytes; 0 for no type
  bool is_signed = true;
};

class DwarfStack {
 public:
  explicit DwarfStack(std::size_t address_bytes) : address_bytes_(address_bytes) {}

  bool empty() const { return numbers_.empty(); }
  void clear() { numbers_.clear(); }
  std::uint64_t top() const { return numbers_.back().bits; }
  std::uint64_t pop();
  // Cuts or extends `bits` to fit the type, and pushes them. Returns false if the stack is full.
  bool push(std::uint64_t bits, StackType type = {});
  void replace_top(std::uint64_t bits, StackType type);
  // Returns false if the stack lacks numbers for the operation, or if the operation needs other data.
  bool run(const Dwarf_Op& operation);

 private:
  struct Number {
    std::uint64_t bits;
    StackType type;
  };
  Number number(std::uint64_t bits, StackType type) const;
  bool calculate(Opcode operation);
  bool compare(unsigned atom);
  std::uint64_t signed_bits(const Number& number) const;

  std::size_t address_bytes_;
  std::vector<Number> numbers_;
};

}  // namespace convert::tfile
