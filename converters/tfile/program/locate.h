// Finds the storage of variables: runs the operations of their DWARF locations on what a frame holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <vector>

#include "converters/tfile/frames/frame_memory.h"
#include "converters/tfile/program/debug_info.h"

namespace convert::tfile {

// Why there is no value.
enum class Missing : std::uint8_t {
  Unknown,        // nothing of this name is visible, or the expression is not understood
  NotUnderstood,  // the location needs more than what is implemented here
  NotRecorded,    // the frame lacks a register or memory that leads to it
  AtEntry,        // it is what a register held when the function was called
  OptimizedOut,   // it exists nowhere at this address
};

std::string_view problem_of(Missing missing);

struct Storage {
  enum class Kind : std::uint8_t { None, Memory, Bytes };
  Kind kind = Kind::None;
  Missing missing = Missing::Unknown;  // of Kind::None
  std::uint64_t address = 0;           // of Kind::Memory
  std::vector<std::byte> bytes = {};   // of Kind::Bytes: the value itself
  std::vector<bool> known = {};        // of Kind::Bytes: which bytes are known; empty: all
  const Register* reg = nullptr;       // of Kind::Bytes: that holds all of it

  static Storage none(Missing why) { return {.kind = Kind::None, .missing = why}; }
  static Storage at(std::uint64_t address) { return {.kind = Kind::Memory, .address = address}; }
  static Storage of(std::vector<std::byte> bytes) { return {.kind = Kind::Bytes, .bytes = std::move(bytes)}; }
};

// The storage of a variable whose type has this size, in bytes.
Storage locate(Dwarf_Die variable, std::uint64_t size, const CodeScope& scope, FrameMemory& frame);

// The value of an attribute that is a number, a variable or a member that holds it, or operations that
// compute it: for the object at that address, in the structure at `whole`, as far as they are known.
std::optional<std::uint64_t> number_of(Dwarf_Attribute attribute, const CodeScope& scope, FrameMemory& frame,
                                       std::optional<std::uint64_t> object = std::nullopt,
                                       std::optional<std::uint64_t> whole = std::nullopt);

// Where the return address is stored at the scope's pc.
Storage return_address(const CodeScope& scope, FrameMemory& frame);

}  // namespace convert::tfile
