// Names for addresses, from wherever they can be had: the traced program, a kernel's symbol list, or nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "converters/tfile/program/type.h"

namespace convert::tfile {

// What is known of a code address.
struct CodePlace {
  std::string function;              // the innermost, inlined or not, demangled; empty: unknown
  std::string source;                // "file:line"; empty: unknown
  std::vector<std::string> inlined;  // when functions are inlined there: all, innermost first; else empty
};

// A static object in the program, at its address in the recording.
struct DataObject {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // 0: unknown
};

struct LocalVariable {
  std::string name;
  const Type* type = nullptr;
};

class Symbols {
 public:
  virtual ~Symbols() = default;
  virtual CodePlace code_at(std::uint64_t address) const = 0;
  virtual std::optional<DataObject> object(const std::string& name) const = 0;
  // True when object() knows all static objects of the program: a name it lacks is no static object.
  virtual bool knows_objects() const = 0;
  // The parameter or variable that lies at this offset from the frame base, visible at a code address.
  virtual std::optional<LocalVariable> local(std::uint64_t address, std::int64_t frame_offset) const = 0;
  // True when the frame base of the function at a code address is a register plus a number other than 0, and
  // not the register itself.
  virtual bool frame_base_adds(std::uint64_t address) const = 0;
  // The type of a C expression at a code address, as long as this object; null where nobody knows.
  virtual const Type* type_of(std::uint64_t address, const std::string& expression) const = 0;
};

}  // namespace convert::tfile
